module @jit_gamma_functions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12xf32>) -> (tensor<12xf32> {jax.result_info = "result[0]"}, tensor<12xf32> {jax.result_info = "result[1]"}, tensor<12xf32> {jax.result_info = "result[2]"}, tensor<12xf32> {jax.result_info = "result[3]"}, tensor<12xf32> {jax.result_info = "result[4]"}) {
    %0 = chlo.lgamma %arg0 : tensor<12xf32> -> tensor<12xf32>
    %1 = chlo.digamma %arg0 : tensor<12xf32> -> tensor<12xf32>
    %cst = stablehlo.constant dense<7.300000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<12xf32>
    %4 = chlo.lgamma %3 : tensor<12xf32> -> tensor<12xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %6 = chlo.polygamma %5, %arg0 : tensor<12xf32>, tensor<12xf32> -> tensor<12xf32>
    %cst_1 = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %8 = stablehlo.add %arg0, %7 : tensor<12xf32>
    %9 = chlo.zeta %8, %arg0 : tensor<12xf32>, tensor<12xf32> -> tensor<12xf32>
    return %0, %1, %4, %6, %9 : tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
  }
}
