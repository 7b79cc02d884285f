// test complete values
// Batch dims and right-hand sides pass.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>},
    %f1: tensor<4x6x8xf32>,
    %b0: tensor<4x6x6xf32>,
    %b1: tensor<4x6x8xf32>
) -> (
    tensor<4x6x8xf32>,
    tensor<4x6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>}
) {
  %fout = "stablehlo.triangular_solve"(%f0, %f1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x6x6xf32>, tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  %bout = "stablehlo.triangular_solve"(%b0, %b1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x6x6xf32>, tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  return %fout, %bout : tensor<4x6x8xf32>, tensor<4x6x8xf32>
}
//| %f0 [{"x"}, {}, {}]
//| %f1 [{"x"}, {}, {}]
//| %b0 [{"x"}, {}, {}]
//| %b1 [{"x"}, {}, {"y"}]
//| %fout [{"x"}, {}, {}]
//| %bout [{"x"}, {}, {"y"}]
