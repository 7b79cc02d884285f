// test opt rematerialize memory-limit=20480
// The same program with room for all five.
module {
  func.func public @main(%x: tensor<256x4xf32>) -> tensor<256x4xf32> {
    %a = stablehlo.sine %x : tensor<256x4xf32>
    %b = stablehlo.cosine %a : tensor<256x4xf32>
    %c = stablehlo.exponential %b : tensor<256x4xf32>
    %d = stablehlo.add %b, %c : tensor<256x4xf32>
    %e = stablehlo.tanh %d : tensor<256x4xf32>
    %r = stablehlo.multiply %e, %a : tensor<256x4xf32>
    return %r : tensor<256x4xf32>
  }
}
//| unchanged
