// test rule Control Call
// No factors: dims pass along the edges into regions and callees.
func.func public @main(%p: tensor<i1>, %x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %if = "stablehlo.if"(%p) ({
    %a = stablehlo.tanh %x : tensor<4x6xf32>
    stablehlo.return %a : tensor<4x6xf32>
  }, {
    stablehlo.return %x : tensor<4x6xf32>
  }) : (tensor<i1>) -> tensor<4x6xf32>
  %call = call @f(%if) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %call : tensor<4x6xf32>
}
func.func private @f(%y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  return %y : tensor<4x6xf32>
}
//| %if = if: ([])->([1, 1]) {}
//| %a = tanh: ([i, j])->([i, j]) {i=4, j=6}
//| %call = call: ([1, 1])->([1, 1]) {}
