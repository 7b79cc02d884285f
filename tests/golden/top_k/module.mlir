module @jit_top_k attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x8xf32>, %arg1: tensor<3x8xi32>) -> (tensor<3x3xf32> {jax.result_info = "result[0]"}, tensor<3x3xi32> {jax.result_info = "result[1]"}, tensor<3x2xi32> {jax.result_info = "result[2]"}, tensor<3x2xi32> {jax.result_info = "result[3]"}, tensor<3x8xf32> {jax.result_info = "result[4]"}) {
    %values, %indices = chlo.top_k(%arg0, k = 3) : tensor<3x8xf32> -> (tensor<3x3xf32>, tensor<3x3xi32>)
    %values_0, %indices_1 = chlo.top_k(%arg1, k = 2) : tensor<3x8xi32> -> (tensor<3x2xi32>, tensor<3x2xi32>)
    %0 = call @partition(%arg0) : (tensor<3x8xf32>) -> tensor<3x8xf32>
    return %values, %indices, %values_0, %indices_1, %0 : tensor<3x3xf32>, tensor<3x3xi32>, tensor<3x2xi32>, tensor<3x2xi32>, tensor<3x8xf32>
  }
  func.func private @partition(%arg0: tensor<3x8xf32>) -> tensor<3x8xf32> {
    %0 = stablehlo.negate %arg0 : tensor<3x8xf32>
    %values, %indices = chlo.top_k(%0, k = 3) : tensor<3x8xf32> -> (tensor<3x3xf32>, tensor<3x3xi32>)
    %1 = stablehlo.negate %values : tensor<3x3xf32>
    %values_0, %indices_1 = chlo.top_k(%arg0, k = 5) : tensor<3x8xf32> -> (tensor<3x5xf32>, tensor<3x5xi32>)
    %2 = stablehlo.concatenate %1, %values_0, dim = 1 : (tensor<3x3xf32>, tensor<3x5xf32>) -> tensor<3x8xf32>
    return %2 : tensor<3x8xf32>
  }
}
