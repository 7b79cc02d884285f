// test opt sum_pieces
// What is carried begins as zero and is only added to, so it is never -0: zero elsewhere changes nothing.
module {
  func.func public @main(%g: tensor<1x3xf32>, %n: tensor<i32>) -> tensor<4x3xf32> {
    %i0 = stablehlo.constant dense<0> : tensor<i32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %zeros = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %r:2 = stablehlo.while(%i = %i0, %acc = %zeros) : tensor<i32>, tensor<4x3xf32>
     cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %u = stablehlo.dynamic_update_slice %zeros, %g, %i, %i0 : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
      %s = stablehlo.add %acc, %u : tensor<4x3xf32>
      stablehlo.return %j, %s : tensor<i32>, tensor<4x3xf32>
    }
    return %r#1 : tensor<4x3xf32>
  }
}
//| module {
//|   func.func public @main(%g: tensor<1x3xf32>, %n: tensor<i32>) -> tensor<4x3xf32> {
//|     %i0 = stablehlo.constant dense<0> : tensor<i32>
//|     %z = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %zeros = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
//|     %r:2 = stablehlo.while(%i = %i0, %acc = %zeros) : tensor<i32>, tensor<4x3xf32>
//|     cond {
//|       %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|       stablehlo.return %c : tensor<i1>
//|     } do {
//|       %one = stablehlo.constant dense<1> : tensor<i32>
//|       %j = stablehlo.add %i, %one : tensor<i32>
//|       %0 = stablehlo.dynamic_slice %acc, %i, %i0, sizes = [1, 3] : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
//|       %1 = stablehlo.add %0, %g : tensor<1x3xf32>
//|       %s = stablehlo.dynamic_update_slice %acc, %1, %i, %i0 : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
//|       stablehlo.return %j, %s : tensor<i32>, tensor<4x3xf32>
//|     }
//|     return %r#1 : tensor<4x3xf32>
//|   }
//| }
