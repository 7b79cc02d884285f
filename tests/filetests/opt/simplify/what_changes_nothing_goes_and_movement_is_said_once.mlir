// test opt simplify
// A product with 1, two reversals, and a slice of what is put together.
module {
  func.func public @main(%n: tensor<4xi32>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>, tensor<2xf32>) {
    %one = stablehlo.constant dense<1> : tensor<4xi32>
    %0 = stablehlo.multiply %n, %one : tensor<4xi32>
    %1 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
    %2 = stablehlo.reverse %1, dims = [0] : tensor<4xf32>
    %3 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %4 = stablehlo.slice %3 [5:7] : (tensor<8xf32>) -> tensor<2xf32>
    return %0, %2, %4 : tensor<4xi32>, tensor<4xf32>, tensor<2xf32>
  }
}
//| module {
//|   func.func public @main(%n: tensor<4xi32>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>, tensor<2xf32>) {
//|     %one = stablehlo.constant dense<1> : tensor<4xi32>
//|     %0 = stablehlo.multiply %n, %one : tensor<4xi32>
//|     %1 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
//|     %2 = stablehlo.reverse %x, dims = [] : tensor<4xf32>
//|     %3 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
//|     %4 = stablehlo.slice %y [1:3] : (tensor<4xf32>) -> tensor<2xf32>
//|     return %n, %x, %4 : tensor<4xi32>, tensor<4xf32>, tensor<2xf32>
//|   }
//| }
