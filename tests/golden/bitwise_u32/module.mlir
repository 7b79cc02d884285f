module @jit_bitwise_u32 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12xui32>, %arg1: tensor<12xui32>) -> (tensor<12xui32> {jax.result_info = "result[0]"}, tensor<12xui32> {jax.result_info = "result[1]"}, tensor<12xui32> {jax.result_info = "result[2]"}, tensor<12xui32> {jax.result_info = "result[3]"}, tensor<12xui32> {jax.result_info = "result[4]"}, tensor<12xui32> {jax.result_info = "result[5]"}, tensor<12xi32> {jax.result_info = "result[6]"}, tensor<12xui32> {jax.result_info = "result[7]"}, tensor<12xui32> {jax.result_info = "result[8]"}, tensor<12xui32> {jax.result_info = "result[9]"}) {
    %0 = stablehlo.and %arg0, %arg1 : tensor<12xui32>
    %1 = stablehlo.or %arg0, %arg1 : tensor<12xui32>
    %2 = stablehlo.xor %arg0, %arg1 : tensor<12xui32>
    %3 = stablehlo.not %arg0 : tensor<12xui32>
    %4 = stablehlo.shift_left %arg0, %arg1 : tensor<12xui32>
    %5 = stablehlo.shift_right_logical %arg0, %arg1 : tensor<12xui32>
    %6 = stablehlo.convert %arg0 : (tensor<12xui32>) -> tensor<12xi32>
    %7 = stablehlo.convert %arg1 : (tensor<12xui32>) -> tensor<12xi32>
    %8 = stablehlo.shift_right_arithmetic %6, %7 : tensor<12xi32>
    %9 = stablehlo.popcnt %arg0 : tensor<12xui32>
    %10 = stablehlo.count_leading_zeros %arg0 : tensor<12xui32>
    %11 = chlo.mulhi %arg0, %arg0 : tensor<12xui32>, tensor<12xui32> -> tensor<12xui32>
    return %0, %1, %2, %3, %4, %5, %8, %9, %10, %11 : tensor<12xui32>, tensor<12xui32>, tensor<12xui32>, tensor<12xui32>, tensor<12xui32>, tensor<12xui32>, tensor<12xi32>, tensor<12xui32>, tensor<12xui32>, tensor<12xui32>
  }
}
