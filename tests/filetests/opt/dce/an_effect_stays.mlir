// test opt dce
// Nobody uses the result, but the call does something besides.
module {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.sine %x : tensor<4xf32>
    %1 = stablehlo.custom_call @log(%0) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
    return %x : tensor<4xf32>
  }
}
//| unchanged
