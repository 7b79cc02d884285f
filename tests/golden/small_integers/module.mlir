module @jit_small_integers attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xi8>, %arg1: tensor<8xui8>, %arg2: tensor<8xi16>, %arg3: tensor<8xui16>) -> (tensor<8xi8> {jax.result_info = "result[0]"}, tensor<8xui8> {jax.result_info = "result[1]"}, tensor<8xi8> {jax.result_info = "result[2]"}, tensor<8xui8> {jax.result_info = "result[3]"}, tensor<8xi8> {jax.result_info = "result[4]"}, tensor<8xi8> {jax.result_info = "result[5]"}, tensor<8xui8> {jax.result_info = "result[6]"}, tensor<8xi8> {jax.result_info = "result[7]"}, tensor<8xi16> {jax.result_info = "result[8]"}, tensor<8xui16> {jax.result_info = "result[9]"}, tensor<8xi8> {jax.result_info = "result[10]"}, tensor<8xui8> {jax.result_info = "result[11]"}, tensor<8xi32> {jax.result_info = "result[12]"}, tensor<8xf32> {jax.result_info = "result[13]"}, tensor<8xi1> {jax.result_info = "result[14]"}, tensor<8xi1> {jax.result_info = "result[15]"}) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<8xi8>
    %1 = stablehlo.multiply %arg1, %arg1 : tensor<8xui8>
    %2 = stablehlo.multiply %arg0, %arg0 : tensor<8xi8>
    %c = stablehlo.constant dense<7> : tensor<ui8>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui8>) -> tensor<8xui8>
    %4 = stablehlo.divide %arg1, %3 : tensor<8xui8>
    %c_0 = stablehlo.constant dense<7> : tensor<i8>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i8>) -> tensor<8xi8>
    %6 = stablehlo.remainder %arg0, %5 : tensor<8xi8>
    %c_1 = stablehlo.constant dense<2> : tensor<i8>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i8>) -> tensor<8xi8>
    %8 = stablehlo.shift_right_arithmetic %arg0, %7 : tensor<8xi8>
    %9 = stablehlo.count_leading_zeros %arg1 : tensor<8xui8>
    %10 = stablehlo.popcnt %arg0 : tensor<8xi8>
    %11 = stablehlo.multiply %arg2, %arg2 : tensor<8xi16>
    %c_2 = stablehlo.constant dense<1> : tensor<ui16>
    %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui16>) -> tensor<8xui16>
    %13 = stablehlo.subtract %arg3, %12 : tensor<8xui16>
    %14 = stablehlo.convert %arg2 : (tensor<8xi16>) -> tensor<8xi8>
    %15 = stablehlo.convert %arg0 : (tensor<8xi8>) -> tensor<8xui8>
    %16 = stablehlo.convert %arg1 : (tensor<8xui8>) -> tensor<8xi32>
    %17 = stablehlo.convert %arg3 : (tensor<8xui16>) -> tensor<8xf32>
    %18 = stablehlo.reverse %arg0, dims = [0] : tensor<8xi8>
    %19 = stablehlo.compare LT, %arg0, %18, SIGNED : (tensor<8xi8>, tensor<8xi8>) -> tensor<8xi1>
    %20 = stablehlo.reverse %arg1, dims = [0] : tensor<8xui8>
    %21 = stablehlo.compare LT, %arg1, %20, UNSIGNED : (tensor<8xui8>, tensor<8xui8>) -> tensor<8xi1>
    return %0, %1, %2, %4, %6, %8, %9, %10, %11, %13, %14, %15, %16, %17, %19, %21 : tensor<8xi8>, tensor<8xui8>, tensor<8xi8>, tensor<8xui8>, tensor<8xi8>, tensor<8xi8>, tensor<8xui8>, tensor<8xi8>, tensor<8xi16>, tensor<8xui16>, tensor<8xi8>, tensor<8xui8>, tensor<8xi32>, tensor<8xf32>, tensor<8xi1>, tensor<8xi1>
  }
}
