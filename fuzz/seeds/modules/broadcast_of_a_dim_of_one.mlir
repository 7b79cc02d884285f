// test complete values
// A dim of size 1 that is stretched is another dim.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<1x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
    %b0: tensor<1x6xf32>
) -> (
    tensor<4x6xf32>,
    tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = stablehlo.broadcast_in_dim %f0, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<4x6xf32>
  %bout = stablehlo.broadcast_in_dim %b0, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<4x6xf32>
  return %fout, %bout : tensor<4x6xf32>, tensor<4x6xf32>
}
//| %f0 [{}, {"y"}]
//| %b0 [{}, {"y"}]
//| %fout [{}, {"y"}]
//| %bout [{"x"}, {"y"}]
