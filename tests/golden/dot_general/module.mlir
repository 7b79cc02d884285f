module @jit_dot_general attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x4x5xf32>, %arg1: tensor<2x5x6x4xf32>) -> (tensor<2x3x6xf32> {jax.result_info = "result[0]"}, tensor<2x4x3x6xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [3, 2] x [1, 3], precision = [DEFAULT, DEFAULT] : (tensor<2x3x4x5xf32>, tensor<2x5x6x4xf32>) -> tensor<2x3x6xf32>
    %1 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 2] x [0, 3], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3x4x5xf32>, tensor<2x5x6x4xf32>) -> tensor<2x4x3x6xf32>
    return %0, %1 : tensor<2x3x6xf32>, tensor<2x4x3x6xf32>
  }
}
