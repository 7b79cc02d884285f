// test opt simplify
// A zero may have a sign, and what is multiplied by 0 may be infinite.
module {
  func.func public @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
    %0 = stablehlo.add %x, %zero : tensor<4xf32>
    %1 = stablehlo.multiply %x, %zero : tensor<4xf32>
    %2 = stablehlo.subtract %x, %x : tensor<4xf32>
    return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
//| unchanged
