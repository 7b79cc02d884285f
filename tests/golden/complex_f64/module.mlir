module @jit_complex_f64 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7xcomplex<f64>>) -> (tensor<7xcomplex<f64>> {jax.result_info = "result[0]"}, tensor<7xcomplex<f64>> {jax.result_info = "result[1]"}, tensor<7xcomplex<f64>> {jax.result_info = "result[2]"}, tensor<7xcomplex<f64>> {jax.result_info = "result[3]"}, tensor<7xcomplex<f64>> {jax.result_info = "result[4]"}, tensor<7xcomplex<f64>> {jax.result_info = "result[5]"}, tensor<7xcomplex<f64>> {jax.result_info = "result[6]"}, tensor<7xf64> {jax.result_info = "result[7]"}) {
    %0 = stablehlo.exponential %arg0 : tensor<7xcomplex<f64>>
    %1 = stablehlo.log %arg0 : tensor<7xcomplex<f64>>
    %2 = stablehlo.sqrt %arg0 : tensor<7xcomplex<f64>>
    %3 = chlo.cosh %arg0 : tensor<7xcomplex<f64>> -> tensor<7xcomplex<f64>>
    %4 = chlo.sinh %arg0 : tensor<7xcomplex<f64>> -> tensor<7xcomplex<f64>>
    %5 = chlo.atan %arg0 : tensor<7xcomplex<f64>> -> tensor<7xcomplex<f64>>
    %6 = stablehlo.multiply %arg0, %arg0 : tensor<7xcomplex<f64>>
    %7 = stablehlo.abs %arg0 : (tensor<7xcomplex<f64>>) -> tensor<7xf64>
    return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<7xcomplex<f64>>, tensor<7xcomplex<f64>>, tensor<7xcomplex<f64>>, tensor<7xcomplex<f64>>, tensor<7xcomplex<f64>>, tensor<7xcomplex<f64>>, tensor<7xcomplex<f64>>, tensor<7xf64>
  }
}
