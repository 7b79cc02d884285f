// test complete values
// Axes follow their dims.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %b0: tensor<4x6xf32>
) -> (
    tensor<6x4xf32>,
    tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = stablehlo.transpose %f0, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %bout = stablehlo.transpose %b0, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %fout, %bout : tensor<6x4xf32>, tensor<6x4xf32>
}
//| %f0 [{"x"}, {"y"}]
//| %b0 [{"y"}, {"x"}]
//| %fout [{"y"}, {"x"}]
//| %bout [{"x"}, {"y"}]
