module @jit_booleans attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xi1>, %arg1: tensor<3x4xi1>) -> (tensor<3x4xi1> {jax.result_info = "result[0]"}, tensor<3x4xi1> {jax.result_info = "result[1]"}, tensor<3x4xi1> {jax.result_info = "result[2]"}, tensor<3x4xi1> {jax.result_info = "result[3]"}, tensor<3x4xi1> {jax.result_info = "result[4]"}, tensor<3x4xf32> {jax.result_info = "result[5]"}, tensor<3x4xi32> {jax.result_info = "result[6]"}, tensor<i1> {jax.result_info = "result[7]"}, tensor<4xi1> {jax.result_info = "result[8]"}, tensor<3x4xi1> {jax.result_info = "result[9]"}) {
    %0 = stablehlo.and %arg0, %arg1 : tensor<3x4xi1>
    %1 = stablehlo.or %arg0, %arg1 : tensor<3x4xi1>
    %2 = stablehlo.xor %arg0, %arg1 : tensor<3x4xi1>
    %3 = stablehlo.not %arg0 : tensor<3x4xi1>
    %4 = stablehlo.compare EQ, %arg0, %arg1, UNSIGNED : (tensor<3x4xi1>, tensor<3x4xi1>) -> tensor<3x4xi1>
    %5 = stablehlo.convert %arg0 : (tensor<3x4xi1>) -> tensor<3x4xf32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %6 = call @_where(%arg0, %c, %c_0) : (tensor<3x4xi1>, tensor<i32>, tensor<i32>) -> tensor<3x4xi32>
    %c_1 = stablehlo.constant dense<false> : tensor<i1>
    %7 = stablehlo.reduce(%arg0 init: %c_1) applies stablehlo.or across dimensions = [0, 1] : (tensor<3x4xi1>, tensor<i1>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<true> : tensor<i1>
    %8 = stablehlo.reduce(%arg1 init: %c_2) applies stablehlo.and across dimensions = [0] : (tensor<3x4xi1>, tensor<i1>) -> tensor<4xi1>
    %9 = stablehlo.compare LT, %arg0, %arg1, UNSIGNED : (tensor<3x4xi1>, tensor<3x4xi1>) -> tensor<3x4xi1>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xf32>, tensor<3x4xi32>, tensor<i1>, tensor<4xi1>, tensor<3x4xi1>
  }
  func.func private @_where(%arg0: tensor<3x4xi1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<3x4xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<3x4xi32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i32>) -> tensor<3x4xi32>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<3x4xi1>, tensor<3x4xi32>
    return %2 : tensor<3x4xi32>
  }
}
