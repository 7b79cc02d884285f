module @jit_einsums attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf64>, %arg1: tensor<4x5xf64>, %arg2: tensor<5x3xf64>, %arg3: tensor<4x4xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg2, %arg1, contracting_dims = [0] x [1], precision = [DEFAULT, DEFAULT] : (tensor<5x3xf64>, tensor<4x5xf64>) -> tensor<3x4xf64>
    %1 = stablehlo.dot_general %0, %arg0, batching_dims = [1] x [1], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<4x3x3xf64>
    %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<4x3x3xf64>) -> tensor<3x4x3xf64>
    %3 = stablehlo.dot_general %2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4x3xf64>, tensor<4x4xf64>) -> tensor<3x3x4xf64>
    %4 = stablehlo.transpose %3, dims = [1, 0, 2] : (tensor<3x3x4xf64>) -> tensor<3x3x4xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x3x4xf64>, tensor<f64>) -> tensor<f64>
    %6 = stablehlo.iota dim = 0 : tensor<4x4xui32>
    %7 = stablehlo.iota dim = 1 : tensor<4x4xui32>
    %8 = stablehlo.compare EQ, %6, %7, UNSIGNED : (tensor<4x4xui32>, tensor<4x4xui32>) -> tensor<4x4xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4x4xf64>
    %10 = stablehlo.select %8, %arg3, %9 : tensor<4x4xi1>, tensor<4x4xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %11 = stablehlo.reduce(%10 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf64>, tensor<f64>) -> tensor<f64>
    %12 = stablehlo.multiply %11, %11 : tensor<f64>
    %13 = stablehlo.add %5, %12 : tensor<f64>
    %14 = stablehlo.dot_general %arg0, %arg0, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3xf64>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %15 = stablehlo.reduce(%14 init: %cst_2) applies stablehlo.multiply across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %16 = stablehlo.add %13, %15 : tensor<f64>
    return %16 : tensor<f64>
  }
}
