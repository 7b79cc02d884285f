// test opt pad_motion
// Four exponentials and that of the padding, in place of six.
module {
  func.func public @main(%x: tensor<4xf32>, %v: tensor<f32>) -> tensor<6xf32> {
    %p = stablehlo.pad %x, %v, low = [1], high = [1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<6xf32>
    %r = stablehlo.exponential %p : tensor<6xf32>
    return %r : tensor<6xf32>
  }
}
//| module {
//|   func.func public @main(%x: tensor<4xf32>, %v: tensor<f32>) -> tensor<6xf32> {
//|     %p = stablehlo.pad %x, %v, low = [1], high = [1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<6xf32>
//|     %0 = stablehlo.exponential %x : tensor<4xf32>
//|     %1 = stablehlo.exponential %v : tensor<f32>
//|     %r = stablehlo.pad %0, %1, low = [1], high = [1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<6xf32>
//|     return %r : tensor<6xf32>
//|   }
//| }
