module @jit_integers_64 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xi64>, %arg1: tensor<6xui64>, %arg2: tensor<6xf64>) -> (tensor<6xi64> {jax.result_info = "result[0]"}, tensor<6xui64> {jax.result_info = "result[1]"}, tensor<6xi64> {jax.result_info = "result[2]"}, tensor<6xui64> {jax.result_info = "result[3]"}, tensor<6xi64> {jax.result_info = "result[4]"}, tensor<6xui64> {jax.result_info = "result[5]"}, tensor<6xi64> {jax.result_info = "result[6]"}, tensor<6xui64> {jax.result_info = "result[7]"}, tensor<6xi1> {jax.result_info = "result[8]"}, tensor<6xi64> {jax.result_info = "result[9]"}, tensor<6xf64> {jax.result_info = "result[10]"}, tensor<6xf32> {jax.result_info = "result[11]"}) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<6xi64>
    %1 = stablehlo.multiply %arg1, %arg1 : tensor<6xui64>
    %c = stablehlo.constant dense<7> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %3 = stablehlo.shift_right_arithmetic %arg0, %2 : tensor<6xi64>
    %4 = stablehlo.xor %arg0, %3 : tensor<6xi64>
    %c_0 = stablehlo.constant dense<9> : tensor<ui64>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<6xui64>
    %6 = stablehlo.shift_right_logical %arg1, %5 : tensor<6xui64>
    %7 = stablehlo.count_leading_zeros %arg0 : tensor<6xi64>
    %8 = stablehlo.popcnt %arg1 : tensor<6xui64>
    %c_1 = stablehlo.constant dense<1000003> : tensor<i64>
    %9 = call @floor_divide(%arg0, %c_1) : (tensor<6xi64>, tensor<i64>) -> tensor<6xi64>
    %c_2 = stablehlo.constant dense<97> : tensor<i64>
    %10 = call @remainder(%arg1, %c_2) : (tensor<6xui64>, tensor<i64>) -> tensor<6xui64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %11 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %12 = stablehlo.compare LT, %arg0, %11, SIGNED : (tensor<6xi64>, tensor<6xi64>) -> tensor<6xi1>
    %13 = stablehlo.convert %arg2 : (tensor<6xf64>) -> tensor<6xi64>
    %14 = stablehlo.convert %arg0 : (tensor<6xi64>) -> tensor<6xf64>
    %15 = stablehlo.convert %arg1 : (tensor<6xui64>) -> tensor<6xf32>
    return %0, %1, %4, %6, %7, %8, %9, %10, %12, %13, %14, %15 : tensor<6xi64>, tensor<6xui64>, tensor<6xi64>, tensor<6xui64>, tensor<6xi64>, tensor<6xui64>, tensor<6xi64>, tensor<6xui64>, tensor<6xi1>, tensor<6xi64>, tensor<6xf64>, tensor<6xf32>
  }
  func.func private @floor_divide(%arg0: tensor<6xi64>, %arg1: tensor<i64>) -> tensor<6xi64> {
    %0 = stablehlo.convert %arg1 : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %2 = stablehlo.divide %arg0, %1 : tensor<6xi64>
    %3 = stablehlo.sign %arg0 : tensor<6xi64>
    %4 = stablehlo.sign %0 : tensor<i64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %6 = stablehlo.compare NE, %3, %5, SIGNED : (tensor<6xi64>, tensor<6xi64>) -> tensor<6xi1>
    %7 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %8 = stablehlo.remainder %arg0, %7 : tensor<6xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %10 = stablehlo.compare NE, %8, %9, SIGNED : (tensor<6xi64>, tensor<6xi64>) -> tensor<6xi1>
    %11 = stablehlo.and %6, %10 : tensor<6xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %12 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %13 = stablehlo.subtract %2, %12 : tensor<6xi64>
    %14 = call @_where(%11, %13, %2) : (tensor<6xi1>, tensor<6xi64>, tensor<6xi64>) -> tensor<6xi64>
    return %14 : tensor<6xi64>
  }
  func.func private @_where(%arg0: tensor<6xi1>, %arg1: tensor<6xi64>, %arg2: tensor<6xi64>) -> tensor<6xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<6xi1>, tensor<6xi64>
    return %0 : tensor<6xi64>
  }
  func.func private @remainder(%arg0: tensor<6xui64>, %arg1: tensor<i64>) -> tensor<6xui64> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<ui64>
    %c = stablehlo.constant dense<0> : tensor<ui64>
    %1 = stablehlo.compare EQ, %0, %c, UNSIGNED : (tensor<ui64>, tensor<ui64>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<ui64>
    %2 = call @_where_0(%1, %c_0, %0) : (tensor<i1>, tensor<ui64>, tensor<ui64>) -> tensor<ui64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui64>) -> tensor<6xui64>
    %4 = stablehlo.remainder %arg0, %3 : tensor<6xui64>
    %c_1 = stablehlo.constant dense<0> : tensor<ui64>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<6xui64>
    %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<6xui64>
    %8 = stablehlo.compare LT, %4, %7, UNSIGNED : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<ui64>
    %9 = stablehlo.compare LT, %2, %c_3, UNSIGNED : (tensor<ui64>, tensor<ui64>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<6xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<6xi1>, tensor<6xi1>) -> tensor<6xi1>
    %12 = stablehlo.and %11, %6 : tensor<6xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui64>) -> tensor<6xui64>
    %14 = stablehlo.add %4, %13 : tensor<6xui64>
    %15 = stablehlo.select %12, %14, %4 : tensor<6xi1>, tensor<6xui64>
    return %15 : tensor<6xui64>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<ui64>, %arg2: tensor<ui64>) -> tensor<ui64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<ui64>
    return %0 : tensor<ui64>
  }
}
