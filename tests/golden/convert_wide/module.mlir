module @jit_convert_wide attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9xi32>, %arg1: tensor<9xui32>, %arg2: tensor<9xf64>) -> (tensor<9xf32> {jax.result_info = "result[0]"}, tensor<9xf32> {jax.result_info = "result[1]"}, tensor<9xf64> {jax.result_info = "result[2]"}, tensor<9xi64> {jax.result_info = "result[3]"}, tensor<9xi8> {jax.result_info = "result[4]"}, tensor<9xui16> {jax.result_info = "result[5]"}, tensor<9xf32> {jax.result_info = "result[6]"}, tensor<9xbf16> {jax.result_info = "result[7]"}, tensor<9xf16> {jax.result_info = "result[8]"}, tensor<9xui64> {jax.result_info = "result[9]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<9xi32>) -> tensor<9xf32>
    %1 = stablehlo.convert %arg1 : (tensor<9xui32>) -> tensor<9xf32>
    %2 = stablehlo.convert %arg0 : (tensor<9xi32>) -> tensor<9xf64>
    %3 = stablehlo.convert %arg1 : (tensor<9xui32>) -> tensor<9xi64>
    %4 = stablehlo.convert %arg0 : (tensor<9xi32>) -> tensor<9xi8>
    %5 = stablehlo.convert %arg1 : (tensor<9xui32>) -> tensor<9xui16>
    %6 = stablehlo.convert %arg2 : (tensor<9xf64>) -> tensor<9xf32>
    %7 = stablehlo.convert %arg2 : (tensor<9xf64>) -> tensor<9xbf16>
    %8 = stablehlo.convert %arg2 : (tensor<9xf64>) -> tensor<9xf16>
    %9 = stablehlo.convert %arg0 : (tensor<9xi32>) -> tensor<9xui64>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<9xf32>, tensor<9xf32>, tensor<9xf64>, tensor<9xi64>, tensor<9xi8>, tensor<9xui16>, tensor<9xf32>, tensor<9xbf16>, tensor<9xf16>, tensor<9xui64>
  }
}
