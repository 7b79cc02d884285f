// test complete values
// Nothing is known of it: nothing passes.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %b0: tensor<4x6xf32>
) -> (
    tensor<4x6xf32>,
    tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = stablehlo.custom_call @mine(%f0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %bout = stablehlo.custom_call @mine(%b0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %fout, %bout : tensor<4x6xf32>, tensor<4x6xf32>
}
//| %f0 [{"x"}, {"y"}]
//| %b0 [{}, {}]
//| %fout [{}, {}]
//| %bout [{"x"}, {"y"}]
