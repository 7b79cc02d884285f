// test opt mask_motion
// The sum is a result too, so its zeros are seen.
module {
  func.func public @main(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %z = stablehlo.constant dense<0.0> : tensor<4xf32>
    %a = stablehlo.select %p, %x, %z : tensor<4xi1>, tensor<4xf32>
    %b = stablehlo.add %a, %y : tensor<4xf32>
    %r = stablehlo.select %p, %b, %z : tensor<4xi1>, tensor<4xf32>
    return %r, %b : tensor<4xf32>, tensor<4xf32>
  }
}
//| unchanged
