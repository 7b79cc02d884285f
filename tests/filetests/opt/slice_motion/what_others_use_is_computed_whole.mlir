// test opt slice_motion
// The sine is a result, so it is computed anyway.
module {
  func.func public @main(%x: tensor<4x6xf32>) -> (tensor<2x6xf32>, tensor<4x6xf32>) {
    %s = stablehlo.sine %x : tensor<4x6xf32>
    %r = stablehlo.slice %s [1:3, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
    return %r, %s : tensor<2x6xf32>, tensor<4x6xf32>
  }
}
//| unchanged
