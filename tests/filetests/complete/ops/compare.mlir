// test complete values
// As any elementwise op, whatever its type.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %f1: tensor<4x6xf32>,
    %b0: tensor<4x6xf32>,
    %b1: tensor<4x6xf32>
) -> (
    tensor<4x6xi1>,
    tensor<4x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = stablehlo.compare LT, %f0, %f1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
  %bout = stablehlo.compare LT, %b0, %b1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
  return %fout, %bout : tensor<4x6xi1>, tensor<4x6xi1>
}
//| %f0 [{"x"}, {"y"}]
//| %f1 [{"x"}, {"y"}]
//| %b0 [{"x"}, {"y"}]
//| %b1 [{"x"}, {"y"}]
//| %fout [{"x"}, {"y"}]
//| %bout [{"x"}, {"y"}]
