module @jit_trigonometry attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x7xf32>) -> (tensor<2x7xf32> {jax.result_info = "result[0]"}, tensor<2x7xf32> {jax.result_info = "result[1]"}, tensor<2x7xf32> {jax.result_info = "result[2]"}, tensor<2x7xf32> {jax.result_info = "result[3]"}, tensor<2x7xf32> {jax.result_info = "result[4]"}, tensor<2x7xf32> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.tan %arg0 : tensor<2x7xf32>
    %1 = chlo.sinh %arg0 : tensor<2x7xf32> -> tensor<2x7xf32>
    %2 = chlo.cosh %arg0 : tensor<2x7xf32> -> tensor<2x7xf32>
    %3 = chlo.atan %arg0 : tensor<2x7xf32> -> tensor<2x7xf32>
    %4 = chlo.asinh %arg0 : tensor<2x7xf32> -> tensor<2x7xf32>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x7xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<2x7xf32>
    %7 = stablehlo.atan2 %arg0, %6 : tensor<2x7xf32>
    return %0, %1, %2, %3, %4, %7 : tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7xf32>
  }
}
