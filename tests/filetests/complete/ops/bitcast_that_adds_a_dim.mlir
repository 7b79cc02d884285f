// test complete values
// The dim that the bits become is whole, the others pass.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %b0: tensor<4x6xf32>
) -> (
    tensor<4x6x2xui16>,
    tensor<4x6x2xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}
) {
  %fout = stablehlo.bitcast_convert %f0 : (tensor<4x6xf32>) -> tensor<4x6x2xui16>
  %bout = stablehlo.bitcast_convert %b0 : (tensor<4x6xf32>) -> tensor<4x6x2xui16>
  return %fout, %bout : tensor<4x6x2xui16>, tensor<4x6x2xui16>
}
//| %f0 [{"x"}, {"y"}]
//| %b0 [{"x"}, {"y"}]
//| %fout [{"x"}, {"y"}, {}]
//| %bout [{"x"}, {"y"}, {}]
