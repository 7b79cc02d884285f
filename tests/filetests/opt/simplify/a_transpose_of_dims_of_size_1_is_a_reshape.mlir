// test opt simplify
// A stage's layers before its stage, of which there is one: no element moves. Where two larger dims change places they do.
module {
  func.func public @main(%w: tensor<1x2x4xf32>, %x: tensor<1x2x4xf32>) -> (tensor<2x1x4xf32>, tensor<2x4x1xf32>, tensor<4x1x2xf32>) {
    %0 = stablehlo.transpose %w, dims = [1, 0, 2] : (tensor<1x2x4xf32>) -> tensor<2x1x4xf32>
    %1 = stablehlo.transpose %w, dims = [1, 2, 0] : (tensor<1x2x4xf32>) -> tensor<2x4x1xf32>
    %2 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<1x2x4xf32>) -> tensor<4x1x2xf32>
    return %0, %1, %2 : tensor<2x1x4xf32>, tensor<2x4x1xf32>, tensor<4x1x2xf32>
  }
}
//| module {
//|   func.func public @main(%w: tensor<1x2x4xf32>, %x: tensor<1x2x4xf32>) -> (tensor<2x1x4xf32>, tensor<2x4x1xf32>, tensor<4x1x2xf32>) {
//|     %0 = stablehlo.reshape %w : (tensor<1x2x4xf32>) -> tensor<2x1x4xf32>
//|     %1 = stablehlo.reshape %w : (tensor<1x2x4xf32>) -> tensor<2x4x1xf32>
//|     %2 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<1x2x4xf32>) -> tensor<4x1x2xf32>
//|     return %0, %1, %2 : tensor<2x1x4xf32>, tensor<2x4x1xf32>, tensor<4x1x2xf32>
//|   }
//| }
