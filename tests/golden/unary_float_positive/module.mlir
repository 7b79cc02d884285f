module @jit_unary_float_positive attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x5xf32>) -> (tensor<3x5xf32> {jax.result_info = "result[0]"}, tensor<3x5xf32> {jax.result_info = "result[1]"}, tensor<3x5xf32> {jax.result_info = "result[2]"}, tensor<3x5xf32> {jax.result_info = "result[3]"}, tensor<3x5xf32> {jax.result_info = "result[4]"}, tensor<3x5xf32> {jax.result_info = "result[5]"}, tensor<3x5xf32> {jax.result_info = "result[6]"}, tensor<3x5xf32> {jax.result_info = "result[7]"}, tensor<3x5xf32> {jax.result_info = "result[8]"}) {
    %0 = stablehlo.log %arg0 : tensor<3x5xf32>
    %1 = stablehlo.log_plus_one %arg0 : tensor<3x5xf32>
    %2 = stablehlo.sqrt %arg0 : tensor<3x5xf32>
    %3 = stablehlo.rsqrt %arg0 : tensor<3x5xf32>
    %4 = stablehlo.cbrt %arg0 : tensor<3x5xf32>
    %cst = stablehlo.constant dense<0.693147182> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<3x5xf32>
    %7 = stablehlo.exponential %6 : tensor<3x5xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %9 = stablehlo.divide %8, %arg0 : tensor<3x5xf32>
    %10 = stablehlo.multiply %arg0, %arg0 : tensor<3x5xf32>
    %11 = stablehlo.multiply %10, %arg0 : tensor<3x5xf32>
    %12 = chlo.square %arg0 : tensor<3x5xf32> -> tensor<3x5xf32>
    return %0, %1, %2, %3, %4, %7, %9, %11, %12 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
  }
}
