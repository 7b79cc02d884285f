// test complete values
// What one operand has the other one and the result get; dims add up.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>},
    %f1: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}]>},
    %b0: tensor<4x6xf32>,
    %b1: tensor<4x6xf32>
) -> (
    tensor<4x6xf32>,
    tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = stablehlo.add %f0, %f1 : tensor<4x6xf32>
  %bout = stablehlo.add %b0, %b1 : tensor<4x6xf32>
  return %fout, %bout : tensor<4x6xf32>, tensor<4x6xf32>
}
//| %f0 [{"x"}, {"y"}]
//| %f1 [{"x"}, {"y"}]
//| %b0 [{"x"}, {"y"}]
//| %b1 [{"x"}, {"y"}]
//| %fout [{"x"}, {"y"}]
//| %bout [{"x"}, {"y"}]
