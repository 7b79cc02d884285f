module @jit_int4 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x6xi4>, %arg1: tensor<2x6xui4>) -> (tensor<2x6xi4> {jax.result_info = "result[0]"}, tensor<2x6xi8> {jax.result_info = "result[1]"}, tensor<2x6xi32> {jax.result_info = "result[2]"}, tensor<2x6xui4> {jax.result_info = "result[3]"}, tensor<2x6xf32> {jax.result_info = "result[4]"}, tensor<6x2xi4> {jax.result_info = "result[5]"}, tensor<2x6xi1> {jax.result_info = "result[6]"}) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2x6xi4>
    %1 = stablehlo.convert %arg0 : (tensor<2x6xi4>) -> tensor<2x6xi8>
    %2 = stablehlo.convert %arg1 : (tensor<2x6xui4>) -> tensor<2x6xi32>
    %3 = stablehlo.multiply %arg1, %arg1 : tensor<2x6xui4>
    %4 = stablehlo.convert %arg0 : (tensor<2x6xi4>) -> tensor<2x6xf32>
    %5 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x6xi4>) -> tensor<6x2xi4>
    %c = stablehlo.constant dense<0> : tensor<i4>
    %6 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i4>) -> tensor<2x6xi4>
    %7 = stablehlo.compare LT, %arg0, %6, SIGNED : (tensor<2x6xi4>, tensor<2x6xi4>) -> tensor<2x6xi1>
    return %0, %1, %2, %3, %4, %5, %7 : tensor<2x6xi4>, tensor<2x6xi8>, tensor<2x6xi32>, tensor<2x6xui4>, tensor<2x6xf32>, tensor<6x2xi4>, tensor<2x6xi1>
  }
}
