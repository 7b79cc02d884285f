// test complete values
// The element type does not matter.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %b0: tensor<4x6xf32>
) -> (
    tensor<4x6xbf16>,
    tensor<4x6xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = stablehlo.convert %f0 : (tensor<4x6xf32>) -> tensor<4x6xbf16>
  %bout = stablehlo.convert %b0 : (tensor<4x6xf32>) -> tensor<4x6xbf16>
  return %fout, %bout : tensor<4x6xbf16>, tensor<4x6xbf16>
}
//| %f0 [{"x"}, {"y"}]
//| %b0 [{"x"}, {"y"}]
//| %fout [{"x"}, {"y"}]
//| %bout [{"x"}, {"y"}]
