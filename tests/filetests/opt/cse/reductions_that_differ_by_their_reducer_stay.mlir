// test opt cse
// Three reductions of one value over one dim: what tells the second from the others stands in its region alone.
module {
  func.func public @main(%x: tensor<4x8xf32>, %z: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
//| module {
//|   func.func public @main(%x: tensor<4x8xf32>, %z: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
//|     %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
//|     %1 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
//|     return %0, %1, %0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
//|   }
//| }
