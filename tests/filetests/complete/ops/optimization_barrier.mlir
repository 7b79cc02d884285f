// test complete values
// Each operand and its result are one, apart from the others.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %f1: tensor<6xf32>,
    %b0: tensor<4x6xf32>,
    %b1: tensor<6xf32>
) -> (
    tensor<4x6xf32>,
    tensor<6xf32>,
    tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}
) {
  %fout:2 = stablehlo.optimization_barrier %f0, %f1 : tensor<4x6xf32>, tensor<6xf32>
  %bout:2 = stablehlo.optimization_barrier %b0, %b1 : tensor<4x6xf32>, tensor<6xf32>
  return %fout#0, %fout#1, %bout#0, %bout#1 : tensor<4x6xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<6xf32>
}
//| %f0 [{"x"}, {"y"}]
//| %f1 [{}]
//| %b0 [{"x"}, {"y"}]
//| %b1 [{"x"}]
//| %fout#0 [{"x"}, {"y"}]
//| %fout#1 [{}]
//| %bout#0 [{"x"}, {"y"}]
//| %bout#1 [{"x"}]
