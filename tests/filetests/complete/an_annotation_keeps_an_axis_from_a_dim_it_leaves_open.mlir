// test complete notes
// A stage of a pipeline, batched over the stages, splits its rows over the axis that the stages lie on: they cannot have both.
module {
  sdy.mesh @mesh = <["stage"=4]>
  func.func public @main(%x: tensor<4x8x8xf32>, %w: tensor<4x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"stage"}, {}, {}]>}) -> tensor<4x8x16xf32> {
    %0 = sdy.sharding_constraint %x <@mesh, [{?}, {"stage"}, {}]> : tensor<4x8x8xf32>
    %1 = stablehlo.dot_general %0, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x8x8xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
    return %1 : tensor<4x8x16xf32>
  }
}
//| note[N0413]: `%0` is annotated over `stage` along dim 1, so dim 0, which is open, stays whole along it
//|   --> complete/an_annotation_keeps_an_axis_from_a_dim_it_leaves_open.mlir:6:5
//|    = note: dim 0 of `%w` has `stage`, across `dot_general`
//|    = help: an axis splits one dim of a value: annotate dim 1 over another axis, or leave it whole; inside a pipeline's stage the stages' axis is not to be had
