// test opt bound_motion
// The bounded value is above its bound just where the other was, which nobody else needs then.
module {
  func.func public @main(%w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>) {
    %x = stablehlo.sine %w : tensor<4xf32>
    %c = stablehlo.constant dense<0.0> : tensor<4xf32>
    %y = stablehlo.maximum %x, %c : tensor<4xf32>
    %p = stablehlo.compare GT, %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    return %y, %p : tensor<4xf32>, tensor<4xi1>
  }
}
//| module {
//|   func.func public @main(%w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>) {
//|     %x = stablehlo.sine %w : tensor<4xf32>
//|     %c = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
//|     %y = stablehlo.maximum %x, %c : tensor<4xf32>
//|     %p = stablehlo.compare GT, %y, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
//|     return %y, %p : tensor<4xf32>, tensor<4xi1>
//|   }
//| }
