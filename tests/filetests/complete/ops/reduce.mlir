// test complete values
// Dims that stay pass.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %f1: tensor<f32>,
    %b0: tensor<4x6xf32>,
    %b1: tensor<f32>
) -> (
    tensor<6xf32>,
    tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}
) {
  %fout = stablehlo.reduce(%f0 init: %f1) applies stablehlo.add across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
  %bout = stablehlo.reduce(%b0 init: %b1) applies stablehlo.add across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
  return %fout, %bout : tensor<6xf32>, tensor<6xf32>
}
//| %f0 [{"x"}, {"y"}]
//| %b0 [{}, {"x"}]
//| %fout [{"y"}]
//| %bout [{"x"}]
