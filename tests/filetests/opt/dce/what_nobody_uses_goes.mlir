// test opt dce
// Nobody uses the product, and then nobody the sine.
module {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.sine %x : tensor<4xf32>
    %1 = stablehlo.multiply %0, %x : tensor<4xf32>
    %2 = stablehlo.add %x, %x : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
//| module {
//|   func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
//|     %2 = stablehlo.add %x, %x : tensor<4xf32>
//|     return %2 : tensor<4xf32>
//|   }
//| }
