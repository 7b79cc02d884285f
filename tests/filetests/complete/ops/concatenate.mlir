// test complete values
// Other dims pass among all operands.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %f1: tensor<4x6xf32>,
    %b0: tensor<4x2xf32>,
    %b1: tensor<4x6xf32>
) -> (
    tensor<4x8xf32>,
    tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = stablehlo.concatenate %f0, %f1, dim = 1 : (tensor<4x2xf32>, tensor<4x6xf32>) -> tensor<4x8xf32>
  %bout = stablehlo.concatenate %b0, %b1, dim = 1 : (tensor<4x2xf32>, tensor<4x6xf32>) -> tensor<4x8xf32>
  return %fout, %bout : tensor<4x8xf32>, tensor<4x8xf32>
}
//| %f0 [{"x"}, {}]
//| %f1 [{"x"}, {}]
//| %b0 [{"x"}, {"y"}]
//| %b1 [{"x"}, {"y"}]
//| %fout [{"x"}, {}]
//| %bout [{"x"}, {"y"}]
