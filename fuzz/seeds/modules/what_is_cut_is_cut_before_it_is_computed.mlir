// test opt slice_motion
// Half of the sines are never looked at.
module {
  func.func public @main(%x: tensor<4x6xf32>) -> tensor<2x6xf32> {
    %s = stablehlo.sine %x : tensor<4x6xf32>
    %r = stablehlo.slice %s [1:3, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
    return %r : tensor<2x6xf32>
  }
}
//| module {
//|   func.func public @main(%x: tensor<4x6xf32>) -> tensor<2x6xf32> {
//|     %0 = stablehlo.slice %x [1:3, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
//|     %r = stablehlo.sine %0 : tensor<2x6xf32>
//|     return %r : tensor<2x6xf32>
//|   }
//| }
