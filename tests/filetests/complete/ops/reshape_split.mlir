// test complete values
// A dim that is cut in two gives its axes to the major part first.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>},
    %b0: tensor<8x6xf32>
) -> (
    tensor<2x4x6xf32>,
    tensor<2x4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}
) {
  %fout = stablehlo.reshape %f0 : (tensor<8x6xf32>) -> tensor<2x4x6xf32>
  %bout = stablehlo.reshape %b0 : (tensor<8x6xf32>) -> tensor<2x4x6xf32>
  return %fout, %bout : tensor<2x4x6xf32>, tensor<2x4x6xf32>
}
//| %f0 [{"x", "y"}, {}]
//| %b0 [{"x", "y"}, {}]
//| %fout [{"x"}, {"y"}, {}]
//| %bout [{"x"}, {"y"}, {}]
