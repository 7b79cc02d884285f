// test opt fold
// The first element of a count of one is 0, so one side is always chosen; nothing is padded or turned round.
module {
  func.func public @main(%x: tensor<1x4xf32>, %y: tensor<1x4xf32>, %p: tensor<f32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
    %0 = stablehlo.iota dim = 0 : tensor<1x4xi32>
    %1 = stablehlo.constant dense<0> : tensor<1x4xi32>
    %2 = stablehlo.compare EQ, %0, %1 : (tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<1x4xi1>
    %3 = stablehlo.select %2, %x, %y : tensor<1x4xi1>, tensor<1x4xf32>
    %4 = stablehlo.pad %3, %p, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %5 = stablehlo.reverse %y, dims = [0] : tensor<1x4xf32>
    return %4, %5 : tensor<1x4xf32>, tensor<1x4xf32>
  }
}
//| module {
//|   func.func public @main(%x: tensor<1x4xf32>, %y: tensor<1x4xf32>, %p: tensor<f32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
//|     %0 = stablehlo.iota dim = 0 : tensor<1x4xi32>
//|     %1 = stablehlo.constant dense<0> : tensor<1x4xi32>
//|     %2 = stablehlo.constant dense<true> : tensor<1x4xi1>
//|     %3 = stablehlo.select %2, %x, %y : tensor<1x4xi1>, tensor<1x4xf32>
//|     %4 = stablehlo.pad %x, %p, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
//|     %5 = stablehlo.reverse %y, dims = [0] : tensor<1x4xf32>
//|     return %x, %y : tensor<1x4xf32>, tensor<1x4xf32>
//|   }
//| }
