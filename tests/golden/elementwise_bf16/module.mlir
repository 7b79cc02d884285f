module @jit_elementwise_bf16 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xbf16>, %arg1: tensor<3x4xbf16>) -> (tensor<3x4xbf16> {jax.result_info = "result[0]"}, tensor<3x4xbf16> {jax.result_info = "result[1]"}, tensor<3x4xbf16> {jax.result_info = "result[2]"}, tensor<3x4xbf16> {jax.result_info = "result[3]"}, tensor<3x4xbf16> {jax.result_info = "result[4]"}, tensor<3x4xbf16> {jax.result_info = "result[5]"}, tensor<3x4xf32> {jax.result_info = "result[6]"}, tensor<3x4xi1> {jax.result_info = "result[7]"}, tensor<3x4xbf16> {jax.result_info = "result[8]"}, tensor<3x4xbf16> {jax.result_info = "result[9]"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<3x4xbf16>
    %1 = stablehlo.multiply %arg0, %arg1 : tensor<3x4xbf16>
    %2 = stablehlo.divide %arg0, %arg1 : tensor<3x4xbf16>
    %3 = stablehlo.exponential %arg0 : tensor<3x4xbf16>
    %4 = stablehlo.tanh %arg0 : tensor<3x4xbf16>
    %5 = stablehlo.maximum %arg0, %arg1 : tensor<3x4xbf16>
    %6 = stablehlo.convert %arg0 : (tensor<3x4xbf16>) -> tensor<3x4xf32>
    %7 = stablehlo.compare LT, %arg0, %arg1, FLOAT : (tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<3x4xi1>
    %8 = stablehlo.abs %arg0 : tensor<3x4xbf16>
    %9 = stablehlo.rsqrt %8 : tensor<3x4xbf16>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<bf16>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<3x4xbf16>
    %11 = stablehlo.multiply %arg0, %10 : tensor<3x4xbf16>
    %12 = stablehlo.add %11, %arg1 : tensor<3x4xbf16>
    return %0, %1, %2, %3, %4, %5, %6, %7, %9, %12 : tensor<3x4xbf16>, tensor<3x4xbf16>, tensor<3x4xbf16>, tensor<3x4xbf16>, tensor<3x4xbf16>, tensor<3x4xbf16>, tensor<3x4xf32>, tensor<3x4xi1>, tensor<3x4xbf16>, tensor<3x4xbf16>
  }
}
