// test complete values
// A carry is one inside and outside.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %f1: tensor<i32>,
    %b0: tensor<4x6xf32>,
    %b1: tensor<i32>
) -> (
    tensor<4x6xf32>,
    tensor<i32>,
    tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    tensor<i32>
) {
  %fout:2 = stablehlo.while(%fx = %f0, %fi = %f1) : tensor<4x6xf32>, tensor<i32>
  cond {
    %fn = stablehlo.constant dense<3> : tensor<i32>
    %ft = stablehlo.compare LT, %fi, %fn : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %ft : tensor<i1>
  } do {
    %fone = stablehlo.constant dense<1> : tensor<i32>
    %fj = stablehlo.add %fi, %fone : tensor<i32>
    %fy = stablehlo.tanh %fx : tensor<4x6xf32>
    stablehlo.return %fy, %fj : tensor<4x6xf32>, tensor<i32>
  }
  %bout:2 = stablehlo.while(%bx = %b0, %bi = %b1) : tensor<4x6xf32>, tensor<i32>
  cond {
    %bn = stablehlo.constant dense<3> : tensor<i32>
    %bt = stablehlo.compare LT, %bi, %bn : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %bt : tensor<i1>
  } do {
    %bone = stablehlo.constant dense<1> : tensor<i32>
    %bj = stablehlo.add %bi, %bone : tensor<i32>
    %by = stablehlo.tanh %bx : tensor<4x6xf32>
    stablehlo.return %by, %bj : tensor<4x6xf32>, tensor<i32>
  }
  return %fout#0, %fout#1, %bout#0, %bout#1 : tensor<4x6xf32>, tensor<i32>, tensor<4x6xf32>, tensor<i32>
}
//| %f0 [{"x"}, {"y"}]
//| %b0 [{"x"}, {"y"}]
//| %fout#0 [{"x"}, {"y"}]
//| %bout#0 [{"x"}, {"y"}]
//| %fx [{"x"}, {"y"}]
//| %fx [{"x"}, {"y"}]
//| %fy [{"x"}, {"y"}]
//| %bx [{"x"}, {"y"}]
//| %bx [{"x"}, {"y"}]
//| %by [{"x"}, {"y"}]
