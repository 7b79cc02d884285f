// test complete values
// Only forward: the operand of the second learns nothing.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %b0: tensor<4x6xf32>
) -> (
    tensor<4x6xf32>,
    tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = sdy.propagation_barrier %f0 allowed_direction=FORWARD : tensor<4x6xf32>
  %bout = sdy.propagation_barrier %b0 allowed_direction=FORWARD : tensor<4x6xf32>
  return %fout, %bout : tensor<4x6xf32>, tensor<4x6xf32>
}
//| %f0 [{"x"}, {"y"}]
//| %b0 [{}, {}]
//| %fout [{"x"}, {"y"}]
//| %bout [{"x"}, {"y"}]
