// test complete values
// Branches and result are split alike.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<i1>,
    %f1: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %b0: tensor<i1>,
    %b1: tensor<4x6xf32>
) -> (
    tensor<4x6xf32>,
    tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = "stablehlo.if"(%f0) ({
    %fa = stablehlo.tanh %f1 : tensor<4x6xf32>
    stablehlo.return %fa : tensor<4x6xf32>
  }, {
    %fb = stablehlo.negate %f1 : tensor<4x6xf32>
    stablehlo.return %fb : tensor<4x6xf32>
  }) : (tensor<i1>) -> tensor<4x6xf32>
  %bout = "stablehlo.if"(%b0) ({
    %ba = stablehlo.tanh %b1 : tensor<4x6xf32>
    stablehlo.return %ba : tensor<4x6xf32>
  }, {
    %bb = stablehlo.negate %b1 : tensor<4x6xf32>
    stablehlo.return %bb : tensor<4x6xf32>
  }) : (tensor<i1>) -> tensor<4x6xf32>
  return %fout, %bout : tensor<4x6xf32>, tensor<4x6xf32>
}
//| %f1 [{"x"}, {"y"}]
//| %b1 [{"x"}, {"y"}]
//| %fout [{"x"}, {"y"}]
//| %bout [{"x"}, {"y"}]
//| %fa [{"x"}, {"y"}]
//| %fb [{"x"}, {"y"}]
//| %ba [{"x"}, {"y"}]
//| %bb [{"x"}, {"y"}]
