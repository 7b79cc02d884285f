module @jit_swiglu attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x6xf64>, %arg1: tensor<6x9xf64>, %arg2: tensor<6x9xf64>, %arg3: tensor<9x4xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x6xf64>, tensor<6x9xf64>) -> tensor<3x9xf64>
    %1 = call @silu(%0) : (tensor<3x9xf64>) -> tensor<3x9xf64>
    %2 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x6xf64>, tensor<6x9xf64>) -> tensor<3x9xf64>
    %3 = stablehlo.multiply %1, %2 : tensor<3x9xf64>
    %4 = stablehlo.dot_general %3, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x9xf64>, tensor<9x4xf64>) -> tensor<3x4xf64>
    %5 = stablehlo.multiply %4, %4 : tensor<3x4xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf64>, tensor<f64>) -> tensor<f64>
    %cst_0 = stablehlo.constant dense<1.200000e+01> : tensor<f64>
    %7 = stablehlo.divide %6, %cst_0 : tensor<f64>
    return %7 : tensor<f64>
  }
  func.func private @silu(%arg0: tensor<3x9xf64>) -> tensor<3x9xf64> {
    %0 = stablehlo.negate %arg0 : tensor<3x9xf64>
    %1 = stablehlo.exponential %0 : tensor<3x9xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3x9xf64>
    %3 = stablehlo.add %2, %1 : tensor<3x9xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3x9xf64>
    %5 = stablehlo.divide %4, %3 : tensor<3x9xf64>
    %6 = stablehlo.multiply %arg0, %5 : tensor<3x9xf64>
    return %6 : tensor<3x9xf64>
  }
}
