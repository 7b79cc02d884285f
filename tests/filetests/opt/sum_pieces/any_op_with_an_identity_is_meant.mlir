// test opt sum_pieces
module {
  func.func public @main(%x: tensor<5xi32>, %y: tensor<5xf32>, %g: tensor<2xi32>, %h: tensor<2xf32>, %at: tensor<i32>) -> (tensor<5xi32>, tensor<5xf32>) {
    %zeros = stablehlo.constant dense<0> : tensor<5xi32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<5xf32>
    %u = stablehlo.dynamic_update_slice %zeros, %g, %at : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
    %v = stablehlo.dynamic_update_slice %least, %h, %at : (tensor<5xf32>, tensor<2xf32>, tensor<i32>) -> tensor<5xf32>
    %s = stablehlo.add %u, %x : tensor<5xi32>
    %m = stablehlo.maximum %y, %v : tensor<5xf32>
    return %s, %m : tensor<5xi32>, tensor<5xf32>
  }
}
//| module {
//|   func.func public @main(%x: tensor<5xi32>, %y: tensor<5xf32>, %g: tensor<2xi32>, %h: tensor<2xf32>, %at: tensor<i32>) -> (tensor<5xi32>, tensor<5xf32>) {
//|     %zeros = stablehlo.constant dense<0> : tensor<5xi32>
//|     %least = stablehlo.constant dense<0xFF800000> : tensor<5xf32>
//|     %0 = stablehlo.dynamic_slice %x, %at, sizes = [2] : (tensor<5xi32>, tensor<i32>) -> tensor<2xi32>
//|     %1 = stablehlo.add %g, %0 : tensor<2xi32>
//|     %s = stablehlo.dynamic_update_slice %x, %1, %at : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
//|     %2 = stablehlo.dynamic_slice %y, %at, sizes = [2] : (tensor<5xf32>, tensor<i32>) -> tensor<2xf32>
//|     %3 = stablehlo.maximum %2, %h : tensor<2xf32>
//|     %m = stablehlo.dynamic_update_slice %y, %3, %at : (tensor<5xf32>, tensor<2xf32>, tensor<i32>) -> tensor<5xf32>
//|     return %s, %m : tensor<5xi32>, tensor<5xf32>
//|   }
//| }
