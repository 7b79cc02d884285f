module @jit_unary_float attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x5xf32>) -> (tensor<3x5xf32> {jax.result_info = "result[0]"}, tensor<3x5xf32> {jax.result_info = "result[1]"}, tensor<3x5xf32> {jax.result_info = "result[2]"}, tensor<3x5xf32> {jax.result_info = "result[3]"}, tensor<3x5xf32> {jax.result_info = "result[4]"}, tensor<3x5xf32> {jax.result_info = "result[5]"}, tensor<3x5xf32> {jax.result_info = "result[6]"}, tensor<3x5xf32> {jax.result_info = "result[7]"}, tensor<3x5xf32> {jax.result_info = "result[8]"}, tensor<3x5xf32> {jax.result_info = "result[9]"}, tensor<3x5xf32> {jax.result_info = "result[10]"}) {
    %0 = stablehlo.negate %arg0 : tensor<3x5xf32>
    %1 = stablehlo.abs %arg0 : tensor<3x5xf32>
    %2 = stablehlo.sign %arg0 : tensor<3x5xf32>
    %3 = stablehlo.floor %arg0 : tensor<3x5xf32>
    %4 = stablehlo.ceil %arg0 : tensor<3x5xf32>
    %5 = stablehlo.exponential %arg0 : tensor<3x5xf32>
    %6 = stablehlo.exponential_minus_one %arg0 : tensor<3x5xf32>
    %7 = stablehlo.sine %arg0 : tensor<3x5xf32>
    %8 = stablehlo.cosine %arg0 : tensor<3x5xf32>
    %9 = stablehlo.tanh %arg0 : tensor<3x5xf32>
    %10 = stablehlo.negate %arg0 : tensor<3x5xf32>
    %11 = stablehlo.exponential %10 : tensor<3x5xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %13 = stablehlo.add %12, %11 : tensor<3x5xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %15 = stablehlo.divide %14, %13 : tensor<3x5xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %15 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
  }
}
