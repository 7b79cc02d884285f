// test parse
func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.ad %a, %a : tensor<4xf32> //~ ERROR stablehlo.ad
  return %0 : tensor<4xf32>
}
