// test complete values
// As slices: dims that grow keep their split.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %f1: tensor<f32>,
    %b0: tensor<8x6xf32>,
    %b1: tensor<f32>
) -> (
    tensor<8x8xf32>,
    tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = stablehlo.pad %f0, %f1, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<8x8xf32>
  %bout = stablehlo.pad %b0, %b1, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<8x8xf32>
  return %fout, %bout : tensor<8x8xf32>, tensor<8x8xf32>
}
//| %f0 [{"x"}, {"y"}]
//| %b0 [{"x"}, {"y"}]
//| %fout [{"x"}, {"y"}]
//| %bout [{"x"}, {"y"}]
