// test opt inline
// The body stands where the call stood, and the function is gone.
module {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.cosine %x : tensor<4xf32>
    %y = call @f(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
  func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
    %b = stablehlo.sine %a : tensor<4xf32>
    return %b : tensor<4xf32>
  }
}
//| module {
//|   func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
//|     %0 = stablehlo.cosine %x : tensor<4xf32>
//|     %b = stablehlo.sine %0 : tensor<4xf32>
//|     return %b : tensor<4xf32>
//|   }
//| }
