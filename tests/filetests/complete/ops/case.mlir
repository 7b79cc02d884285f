// test complete values
// Of several branches too.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<i32>,
    %f1: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %b0: tensor<i32>,
    %b1: tensor<4x6xf32>
) -> (
    tensor<4x6xf32>,
    tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = "stablehlo.case"(%f0) ({
    stablehlo.return %f1 : tensor<4x6xf32>
  }, {
    %fb = stablehlo.negate %f1 : tensor<4x6xf32>
    stablehlo.return %fb : tensor<4x6xf32>
  }) : (tensor<i32>) -> tensor<4x6xf32>
  %bout = "stablehlo.case"(%b0) ({
    stablehlo.return %b1 : tensor<4x6xf32>
  }, {
    %bb = stablehlo.negate %b1 : tensor<4x6xf32>
    stablehlo.return %bb : tensor<4x6xf32>
  }) : (tensor<i32>) -> tensor<4x6xf32>
  return %fout, %bout : tensor<4x6xf32>, tensor<4x6xf32>
}
//| %f1 [{"x"}, {"y"}]
//| %b1 [{"x"}, {"y"}]
//| %fout [{"x"}, {"y"}]
//| %bout [{"x"}, {"y"}]
//| %fb [{"x"}, {"y"}]
//| %bb [{"x"}, {"y"}]
