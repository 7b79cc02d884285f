// test complete values
// test complete notes
// GSPMD figure 3: the result takes `x` from one operand and `y` from the other; the operands learn nothing that they did not say.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %ab: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %bc: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}
) -> tensor<4x8xf32> {
  %ac = stablehlo.dot_general %ab, %bc, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return %ac : tensor<4x8xf32>
}
//| --- complete values
//| %ab [{"x"}, {}]
//| %bc [{}, {"y"}]
//| %ac [{"x"}, {"y"}]
//| --- complete notes
