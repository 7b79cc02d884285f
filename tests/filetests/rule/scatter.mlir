// test rule Scatter
// Updates split along their places leave a sum; the rest of a row passes; rows are looked up by hand.
func.func public @main(%x: tensor<16x8xf32>, %at: tensor<4x1xi32>, %u: tensor<4x8xf32>) -> tensor<16x8xf32> {
  %r = "stablehlo.scatter"(%x, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<4x1xi32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}
//| %r = scatter: ([k, j], [i, 1], [i, j])->([k, j]) {i=4, j=8, k=16} reduction={i} by_family={i, k}
