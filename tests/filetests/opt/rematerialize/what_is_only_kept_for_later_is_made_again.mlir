// test opt rematerialize memory-limit=16384
// At the sum, five tensors of 4096 bytes are alive, one of them only for the product: made again, it is four.
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
//| module {
//|   func.func public @main(%x: tensor<256x4xf32>) -> tensor<256x4xf32> {
//|     %a = stablehlo.sine %x : tensor<256x4xf32>
//|     %b = stablehlo.cosine %a : tensor<256x4xf32>
//|     %c = stablehlo.exponential %b : tensor<256x4xf32>
//|     %d = stablehlo.add %b, %c : tensor<256x4xf32>
//|     %e = stablehlo.tanh %d : tensor<256x4xf32>
//|     %0 = stablehlo.optimization_barrier %x : tensor<256x4xf32>
//|     %1 = stablehlo.sine %0 : tensor<256x4xf32>
//|     %r = stablehlo.multiply %e, %1 : tensor<256x4xf32>
//|     return %r : tensor<256x4xf32>
//|   }
//| }
