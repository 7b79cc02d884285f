module @jit_dot_types attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x8xbf16>, %arg1: tensor<8x3xbf16>, %arg2: tensor<3x8xi8>, %arg3: tensor<8x3xi8>) -> (tensor<3x3xbf16> {jax.result_info = "result[0]"}, tensor<3x3xf32> {jax.result_info = "result[1]"}, tensor<3x3xi32> {jax.result_info = "result[2]"}, tensor<3x3xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x8xbf16>, tensor<8x3xbf16>) -> tensor<3x3xbf16>
    %1 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x8xbf16>, tensor<8x3xbf16>) -> tensor<3x3xf32>
    %2 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x8xi8>, tensor<8x3xi8>) -> tensor<3x3xi32>
    %3 = stablehlo.convert %arg0 : (tensor<3x8xbf16>) -> tensor<3x8xf32>
    %4 = stablehlo.convert %arg1 : (tensor<8x3xbf16>) -> tensor<8x3xf32>
    %5 = stablehlo.dot_general %3, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x8xf32>, tensor<8x3xf32>) -> tensor<3x3xf32>
    return %0, %1, %2, %5 : tensor<3x3xbf16>, tensor<3x3xf32>, tensor<3x3xi32>, tensor<3x3xf32>
  }
}
