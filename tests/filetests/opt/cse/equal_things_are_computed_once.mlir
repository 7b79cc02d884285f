// test opt cse
// The same op on the same operands, and what follows from that.
module {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.sine %x : tensor<4xf32>
    %1 = stablehlo.sine %x : tensor<4xf32>
    %2 = stablehlo.negate %0 : tensor<4xf32>
    %3 = stablehlo.negate %1 : tensor<4xf32>
    %4 = stablehlo.add %2, %3 : tensor<4xf32>
    return %4 : tensor<4xf32>
  }
}
//| module {
//|   func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
//|     %0 = stablehlo.sine %x : tensor<4xf32>
//|     %2 = stablehlo.negate %0 : tensor<4xf32>
//|     %4 = stablehlo.add %2, %2 : tensor<4xf32>
//|     return %4 : tensor<4xf32>
//|   }
//| }
