// test opt schedule
// The sine was alive beside three others.
module {
  func.func public @main(%x: tensor<512x1024xf32>, %y: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
    %a = stablehlo.sine %x : tensor<512x1024xf32>
    %b = stablehlo.cosine %y : tensor<512x1024xf32>
    %c = stablehlo.exponential %b : tensor<512x1024xf32>
    %d = stablehlo.tanh %c : tensor<512x1024xf32>
    %r = stablehlo.add %a, %d : tensor<512x1024xf32>
    return %r : tensor<512x1024xf32>
  }
}
//| module {
//|   func.func public @main(%x: tensor<512x1024xf32>, %y: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
//|     %b = stablehlo.cosine %y : tensor<512x1024xf32>
//|     %c = stablehlo.exponential %b : tensor<512x1024xf32>
//|     %d = stablehlo.tanh %c : tensor<512x1024xf32>
//|     %a = stablehlo.sine %x : tensor<512x1024xf32>
//|     %r = stablehlo.add %a, %d : tensor<512x1024xf32>
//|     return %r : tensor<512x1024xf32>
//|   }
//| }
