// test complete values
// Free axes pass in and out, the manual one is off inside.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %b0: tensor<4x6xf32>
) -> (
    tensor<4x6xf32>,
    tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = sdy.manual_computation(%f0) in_shardings=[<@mesh, [{"x"}, {?}]>] out_shardings=[<@mesh, [{"x"}, {?}]>] manual_axes={"x"} (%fm: tensor<2x6xf32>) {
    %fn = stablehlo.tanh %fm : tensor<2x6xf32>
    sdy.return %fn : tensor<2x6xf32>
  } : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %bout = sdy.manual_computation(%b0) in_shardings=[<@mesh, [{"x"}, {?}]>] out_shardings=[<@mesh, [{"x"}, {?}]>] manual_axes={"x"} (%bm: tensor<2x6xf32>) {
    %bn = stablehlo.tanh %bm : tensor<2x6xf32>
    sdy.return %bn : tensor<2x6xf32>
  } : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %fout, %bout : tensor<4x6xf32>, tensor<4x6xf32>
}
//| %f0 [{"x"}, {"y"}]
//| %b0 [{"x"}, {"y"}]
//| %fout [{"x"}, {"y"}]
//| %bout [{"x"}, {"y"}]
//| %fm [{}, {"y"}]
//| %fn [{}, {"y"}]
//| %bm [{}, {"y"}]
//| %bn [{}, {"y"}]
