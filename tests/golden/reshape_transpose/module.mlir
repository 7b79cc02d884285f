module @jit_reshape_transpose attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x4xi32>) -> (tensor<6x4xi32> {jax.result_info = "result[0]"}, tensor<24xi32> {jax.result_info = "result[1]"}, tensor<4x2x3xi32> {jax.result_info = "result[2]"}, tensor<1x2x1x3x4xi32> {jax.result_info = "result[3]"}, tensor<2x4xi32> {jax.result_info = "result[4]"}, tensor<3x8xi32> {jax.result_info = "result[5]"}, tensor<24xi32> {jax.result_info = "result[6]"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<2x3x4xi32>) -> tensor<6x4xi32>
    %1 = stablehlo.reshape %arg0 : (tensor<2x3x4xi32>) -> tensor<24xi32>
    %2 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x3x4xi32>) -> tensor<4x2x3xi32>
    %3 = stablehlo.broadcast_in_dim %arg0, dims = [1, 3, 4] : (tensor<2x3x4xi32>) -> tensor<1x2x1x3x4xi32>
    %4 = stablehlo.slice %arg0 [0:2, 0:1, 0:4] : (tensor<2x3x4xi32>) -> tensor<2x1x4xi32>
    %5 = stablehlo.reshape %4 : (tensor<2x1x4xi32>) -> tensor<2x4xi32>
    %6 = stablehlo.transpose %arg0, dims = [1, 0, 2] : (tensor<2x3x4xi32>) -> tensor<3x2x4xi32>
    %7 = stablehlo.reshape %6 : (tensor<3x2x4xi32>) -> tensor<3x8xi32>
    %8 = stablehlo.transpose %arg0, dims = [2, 1, 0] : (tensor<2x3x4xi32>) -> tensor<4x3x2xi32>
    %9 = stablehlo.reshape %8 : (tensor<4x3x2xi32>) -> tensor<24xi32>
    return %0, %1, %2, %3, %5, %7, %9 : tensor<6x4xi32>, tensor<24xi32>, tensor<4x2x3xi32>, tensor<1x2x1x3x4xi32>, tensor<2x4xi32>, tensor<3x8xi32>, tensor<24xi32>
  }
}
