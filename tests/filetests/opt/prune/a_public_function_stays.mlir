// test opt prune
// Others may call a public function, and what it calls stays with it.
module {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
  func.func public @f(%a: tensor<4xf32>) -> tensor<4xf32> {
    %b = call @g(%a) : (tensor<4xf32>) -> tensor<4xf32>
    return %b : tensor<4xf32>
  }
  func.func private @g(%a: tensor<4xf32>) -> tensor<4xf32> {
    %b = stablehlo.sine %a : tensor<4xf32>
    return %b : tensor<4xf32>
  }
}
//| unchanged
