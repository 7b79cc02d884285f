module @jit_slice_concatenate attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<2x6xf32>) -> (tensor<2x3xf32> {jax.result_info = "result[0]"}, tensor<4x6xf32> {jax.result_info = "result[1]"}, tensor<2xf32> {jax.result_info = "result[2]"}, tensor<4x2xf32> {jax.result_info = "result[3]"}, tensor<10x6xf32> {jax.result_info = "result[4]"}, tensor<2x2x6xf32> {jax.result_info = "result[5]"}, tensor<4x2xf32> {jax.result_info = "result[6]"}, tensor<4x6xf32> {jax.result_info = "result[7]"}, tensor<4x12xf32> {jax.result_info = "result[8]"}) {
    %0 = stablehlo.slice %arg0 [1:3, 0:6:2] : (tensor<4x6xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.reverse %arg0, dims = [0] : tensor<4x6xf32>
    %2 = stablehlo.slice %arg0 [2:4, 3:4] : (tensor<4x6xf32>) -> tensor<2x1xf32>
    %3 = stablehlo.reshape %2 : (tensor<2x1xf32>) -> tensor<2xf32>
    %4 = stablehlo.slice %arg0 [0:4, 3:6:2] : (tensor<4x6xf32>) -> tensor<4x2xf32>
    %5 = stablehlo.reverse %4, dims = [1] : tensor<4x2xf32>
    %6 = stablehlo.concatenate %arg0, %arg1, %arg0, dim = 0 : (tensor<4x6xf32>, tensor<2x6xf32>, tensor<4x6xf32>) -> tensor<10x6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %8 = stablehlo.add %arg1, %7 : tensor<2x6xf32>
    %9 = stablehlo.broadcast_in_dim %arg1, dims = [0, 2] : (tensor<2x6xf32>) -> tensor<2x1x6xf32>
    %10 = stablehlo.broadcast_in_dim %8, dims = [0, 2] : (tensor<2x6xf32>) -> tensor<2x1x6xf32>
    %11 = stablehlo.concatenate %9, %10, dim = 1 : (tensor<2x1x6xf32>, tensor<2x1x6xf32>) -> tensor<2x2x6xf32>
    %12 = stablehlo.slice %arg0 [0:4, 0:2] : (tensor<4x6xf32>) -> tensor<4x2xf32>
    %13 = stablehlo.slice %arg0 [0:4, 2:4] : (tensor<4x6xf32>) -> tensor<4x2xf32>
    %14 = stablehlo.slice %arg0 [0:4, 4:6] : (tensor<4x6xf32>) -> tensor<4x2xf32>
    %15 = stablehlo.reverse %arg0, dims = [0, 1] : tensor<4x6xf32>
    %16 = call @atleast_1d(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %17 = call @atleast_1d(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %18 = stablehlo.concatenate %16, %17, dim = 1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
    return %0, %1, %3, %5, %6, %11, %13, %15, %18 : tensor<2x3xf32>, tensor<4x6xf32>, tensor<2xf32>, tensor<4x2xf32>, tensor<10x6xf32>, tensor<2x2x6xf32>, tensor<4x2xf32>, tensor<4x6xf32>, tensor<4x12xf32>
  }
  func.func private @atleast_1d(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    return %arg0 : tensor<4x6xf32>
  }
}
