// test parse
func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> { //~ ERROR the text ends inside
  return %a : tensor<4xf32>
