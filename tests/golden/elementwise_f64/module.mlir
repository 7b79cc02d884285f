module @jit_elementwise_f64 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf64>, %arg1: tensor<4x6xf64>) -> (tensor<4x6xf64> {jax.result_info = "result[0]"}, tensor<4x6xf64> {jax.result_info = "result[1]"}, tensor<4x6xf64> {jax.result_info = "result[2]"}, tensor<4x6xf64> {jax.result_info = "result[3]"}, tensor<4x6xf64> {jax.result_info = "result[4]"}, tensor<4x6xf64> {jax.result_info = "result[5]"}, tensor<4x6xf64> {jax.result_info = "result[6]"}, tensor<4x6xf64> {jax.result_info = "result[7]"}, tensor<4x6xf64> {jax.result_info = "result[8]"}, tensor<4x6xf64> {jax.result_info = "result[9]"}, tensor<4x6xf64> {jax.result_info = "result[10]"}, tensor<4x6xf64> {jax.result_info = "result[11]"}) {
    %0 = stablehlo.exponential %arg0 : tensor<4x6xf64>
    %1 = stablehlo.log %arg1 : tensor<4x6xf64>
    %2 = stablehlo.tanh %arg0 : tensor<4x6xf64>
    %3 = stablehlo.sqrt %arg1 : tensor<4x6xf64>
    %4 = stablehlo.power %arg1, %arg0 : tensor<4x6xf64>
    %5 = chlo.erf %arg0 : tensor<4x6xf64> -> tensor<4x6xf64>
    %6 = stablehlo.cbrt %arg0 : tensor<4x6xf64>
    %7 = chlo.lgamma %arg1 : tensor<4x6xf64> -> tensor<4x6xf64>
    %8 = stablehlo.log_plus_one %arg1 : tensor<4x6xf64>
    %9 = stablehlo.exponential_minus_one %arg0 : tensor<4x6xf64>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f64>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x6xf64>
    %11 = stablehlo.divide %arg0, %10 : tensor<4x6xf64>
    %12 = chlo.erf_inv %11 : tensor<4x6xf64> -> tensor<4x6xf64>
    %13 = stablehlo.negate %arg0 : tensor<4x6xf64>
    %14 = stablehlo.exponential %13 : tensor<4x6xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %15 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4x6xf64>
    %16 = stablehlo.add %15, %14 : tensor<4x6xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %17 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<4x6xf64>
    %18 = stablehlo.divide %17, %16 : tensor<4x6xf64>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %12, %18 : tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>
  }
}
