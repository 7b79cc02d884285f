module @jit_einsum attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<4x5x3xf32>, %arg2: tensor<2x5xf32>) -> (tensor<2x5xf32> {jax.result_info = "result[0]"}, tensor<4x2xf32> {jax.result_info = "result[1]"}, tensor<f32> {jax.result_info = "result[2]"}, tensor<2xf32> {jax.result_info = "result[3]"}, tensor<3x5x3xf32> {jax.result_info = "result[4]"}, tensor<2x5x5xf32> {jax.result_info = "result[5]"}, tensor<2x5xf32> {jax.result_info = "result[6]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1, 2] x [2, 0], precision = [DEFAULT, DEFAULT] : (tensor<2x3x4xf32>, tensor<4x5x3xf32>) -> tensor<2x5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
    %3 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [2, 0] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x5x3xf32>, tensor<2x3x4xf32>) -> tensor<5x2xf32>
    %4 = stablehlo.dot_general %arg2, %3, contracting_dims = [0, 1] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<2x5xf32>, tensor<5x2xf32>) -> tensor<f32>
    %5 = stablehlo.slice %arg0 [0:2, 0:3, 0:3] : (tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
    %6 = stablehlo.iota dim = 0 : tensor<3x3xui32>
    %7 = stablehlo.iota dim = 1 : tensor<3x3xui32>
    %8 = stablehlo.compare EQ, %6, %7, UNSIGNED : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xi1>
    %9 = stablehlo.broadcast_in_dim %8, dims = [1, 2] : (tensor<3x3xi1>) -> tensor<2x3x3xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %11 = stablehlo.select %9, %5, %10 : tensor<2x3x3xi1>, tensor<2x3x3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<2xf32>
    %13 = stablehlo.slice %arg0 [0:1, 0:3, 0:4] : (tensor<2x3x4xf32>) -> tensor<1x3x4xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x3x4xf32>) -> tensor<3x4xf32>
    %15 = stablehlo.dot_general %14, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xf32>, tensor<4x5x3xf32>) -> tensor<3x5x3xf32>
    %16 = stablehlo.dot_general %arg2, %arg2, batching_dims = [0] x [0], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5x5xf32>
    %17 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<2x3x4xf32>, tensor<4x5x3xf32>) -> tensor<2x5xf32>
    return %0, %2, %4, %12, %15, %16, %17 : tensor<2x5xf32>, tensor<4x2xf32>, tensor<f32>, tensor<2xf32>, tensor<3x5x3xf32>, tensor<2x5x5xf32>, tensor<2x5xf32>
  }
}
