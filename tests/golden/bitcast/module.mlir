module @jit_bitcast attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4xf32>, %arg1: tensor<2x4xui32>, %arg2: tensor<3x4xui8>, %arg3: tensor<3xui32>) -> (tensor<2x4xui32> {jax.result_info = "result[0]"}, tensor<2x4xi32> {jax.result_info = "result[1]"}, tensor<3xui32> {jax.result_info = "result[2]"}, tensor<3x4xui8> {jax.result_info = "result[3]"}, tensor<2x4x2xui16> {jax.result_info = "result[4]"}, tensor<2x4xf32> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<2x4xf32>) -> tensor<2x4xui32>
    %1 = stablehlo.bitcast_convert %arg1 : (tensor<2x4xui32>) -> tensor<2x4xi32>
    %2 = stablehlo.bitcast_convert %arg2 : (tensor<3x4xui8>) -> tensor<3xui32>
    %3 = stablehlo.bitcast_convert %arg3 : (tensor<3xui32>) -> tensor<3x4xui8>
    %4 = stablehlo.bitcast_convert %arg0 : (tensor<2x4xf32>) -> tensor<2x4x2xui16>
    %5 = stablehlo.bitcast_convert %arg0 : (tensor<2x4xf32>) -> tensor<2x4xui32>
    %6 = stablehlo.bitcast_convert %5 : (tensor<2x4xui32>) -> tensor<2x4xf32>
    return %0, %1, %2, %3, %4, %6 : tensor<2x4xui32>, tensor<2x4xi32>, tensor<3xui32>, tensor<3x4xui8>, tensor<2x4x2xui16>, tensor<2x4xf32>
  }
}
