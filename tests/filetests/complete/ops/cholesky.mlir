// test complete values
// Batch dims pass, the matrix is whole.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>},
    %b0: tensor<4x6x6xf32>
) -> (
    tensor<4x6x6xf32>,
    tensor<4x6x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {}]>}
) {
  %fout = stablehlo.cholesky %f0, lower = true : tensor<4x6x6xf32>
  %bout = stablehlo.cholesky %b0, lower = true : tensor<4x6x6xf32>
  return %fout, %bout : tensor<4x6x6xf32>, tensor<4x6x6xf32>
}
//| %f0 [{"x"}, {}, {}]
//| %b0 [{"y"}, {}, {}]
//| %fout [{"x"}, {}, {}]
//| %bout [{"y"}, {}, {}]
