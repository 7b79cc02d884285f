// test opt pad_motion
// One value before the two parts and two behind them.
module {
  func.func public @main(%a: tensor<3xf32>, %b: tensor<4xf32>, %v: tensor<f32>) -> tensor<10xf32> {
    %w = stablehlo.concatenate %a, %b, dim = 0 : (tensor<3xf32>, tensor<4xf32>) -> tensor<7xf32>
    %p = stablehlo.pad %w, %v, low = [1], high = [2], interior = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<10xf32>
    return %p : tensor<10xf32>
  }
}
//| module {
//|   func.func public @main(%a: tensor<3xf32>, %b: tensor<4xf32>, %v: tensor<f32>) -> tensor<10xf32> {
//|     %w = stablehlo.concatenate %a, %b, dim = 0 : (tensor<3xf32>, tensor<4xf32>) -> tensor<7xf32>
//|     %0 = stablehlo.broadcast_in_dim %v, dims = [] : (tensor<f32>) -> tensor<1xf32>
//|     %1 = stablehlo.broadcast_in_dim %v, dims = [] : (tensor<f32>) -> tensor<2xf32>
//|     %p = stablehlo.concatenate %0, %a, %b, %1, dim = 0 : (tensor<1xf32>, tensor<3xf32>, tensor<4xf32>, tensor<2xf32>) -> tensor<10xf32>
//|     return %p : tensor<10xf32>
//|   }
//| }
