// test opt schedule
// The same order of tensors of 16 bytes: less would be alive, but no share worth moving for.
module {
  func.func public @main(%x: tensor<4xf32>, %y: tensor<512x1024xf32>) -> (tensor<512x1024xf32>, tensor<4xf32>) {
    %a = stablehlo.sine %x : tensor<4xf32>
    %b = stablehlo.cosine %y : tensor<512x1024xf32>
    %c = stablehlo.exponential %b : tensor<512x1024xf32>
    %r = stablehlo.cosine %a : tensor<4xf32>
    return %c, %r : tensor<512x1024xf32>, tensor<4xf32>
  }
}
//| unchanged
