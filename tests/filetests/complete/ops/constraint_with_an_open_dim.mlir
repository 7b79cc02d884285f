// test complete values
// What is closed stays, what is open is refined.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
    %b0: tensor<4x6xf32>
) -> (
    tensor<4x6xf32>,
    tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = sdy.sharding_constraint %f0 <@mesh, [{"x"}, {?}]> : tensor<4x6xf32>
  %bout = sdy.sharding_constraint %b0 <@mesh, [{"x"}, {?}]> : tensor<4x6xf32>
  return %fout, %bout : tensor<4x6xf32>, tensor<4x6xf32>
}
//| %f0 [{}, {"y"}]
//| %b0 [{"x"}, {"y"}]
//| %fout [{"x"}, {"y"}]
//| %bout [{"x"}, {"y"}]
