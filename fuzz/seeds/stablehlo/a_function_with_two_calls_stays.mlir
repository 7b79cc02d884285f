// test opt inline
// Its body would stand twice in the program.
module {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = call @f(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
    %b = stablehlo.sine %a : tensor<4xf32>
    return %b : tensor<4xf32>
  }
}
//| unchanged
