// test opt pad_motion
// The padded value is a result, so it is made anyway.
module {
  func.func public @main(%x: tensor<4xf32>, %v: tensor<f32>) -> (tensor<6xf32>, tensor<6xf32>) {
    %p = stablehlo.pad %x, %v, low = [1], high = [1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<6xf32>
    %r = stablehlo.exponential %p : tensor<6xf32>
    return %r, %p : tensor<6xf32>, tensor<6xf32>
  }
}
//| unchanged
