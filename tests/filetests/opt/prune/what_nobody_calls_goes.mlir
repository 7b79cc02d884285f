// test opt prune
// A private function that no call leads to goes; one that a called one calls stays.
module {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
    %b = call @g(%a) : (tensor<4xf32>) -> tensor<4xf32>
    return %b : tensor<4xf32>
  }
  func.func private @g(%a: tensor<4xf32>) -> tensor<4xf32> {
    %b = stablehlo.sine %a : tensor<4xf32>
    return %b : tensor<4xf32>
  }
  func.func private @h(%a: tensor<4xf32>) -> tensor<4xf32> {
    %b = stablehlo.sine %a : tensor<4xf32>
    return %b : tensor<4xf32>
  }
}
//| module {
//|   func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
//|     %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
//|     return %0 : tensor<4xf32>
//|   }
//|   func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
//|     %b = call @g(%a) : (tensor<4xf32>) -> tensor<4xf32>
//|     return %b : tensor<4xf32>
//|   }
//|   func.func private @g(%a: tensor<4xf32>) -> tensor<4xf32> {
//|     %b = stablehlo.sine %a : tensor<4xf32>
//|     return %b : tensor<4xf32>
//|   }
//| }
