// test opt bound_motion
// The value in front of the bound is a result too: it stays alive anyhow.
module {
  func.func public @main(%w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>, tensor<4xf32>) {
    %x = stablehlo.sine %w : tensor<4xf32>
    %c = stablehlo.constant dense<0.0> : tensor<4xf32>
    %y = stablehlo.maximum %x, %c : tensor<4xf32>
    %p = stablehlo.compare GT, %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    return %y, %p, %x : tensor<4xf32>, tensor<4xi1>, tensor<4xf32>
  }
}
//| unchanged
