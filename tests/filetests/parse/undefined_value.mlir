// test parse
func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %aa : tensor<4xf32> //~ ERROR %aa
  return %0 : tensor<4xf32>
}
