module @jit_pad attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf32>, %arg1: tensor<f32>) -> (tensor<6x11xf32> {jax.result_info = "result[0]"}, tensor<3x6xf32> {jax.result_info = "result[1]"}, tensor<4x7xf32> {jax.result_info = "result[2]"}, tensor<5x6xf32> {jax.result_info = "result[3]"}, tensor<4x6xf32> {jax.result_info = "result[4]"}, tensor<7x8xf32> {jax.result_info = "result[5]"}, tensor<5x6xf32> {jax.result_info = "result[6]"}) {
    %0 = stablehlo.pad %arg0, %arg1, low = [1, 0], high = [2, 1], interior = [0, 2] : (tensor<3x4xf32>, tensor<f32>) -> tensor<6x11xf32>
    %1 = stablehlo.pad %arg0, %arg1, low = [-1, 2], high = [1, -3], interior = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x6xf32>
    %2 = stablehlo.pad %arg0, %arg1, low = [0, -2], high = [-1, -1], interior = [1, 2] : (tensor<3x4xf32>, tensor<f32>) -> tensor<4x7xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = call @_pad(%arg0, %c) : (tensor<3x4xf32>, tensor<i32>) -> tensor<5x6xf32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %4 = call @_pad_0(%arg0, %c_0) : (tensor<3x4xf32>, tensor<i32>) -> tensor<4x6xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = call @_pad_1(%arg0, %c_1) : (tensor<3x4xf32>, tensor<i32>) -> tensor<7x8xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = call @_pad_3(%arg0, %c_2) : (tensor<3x4xf32>, tensor<i32>) -> tensor<5x6xf32>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<6x11xf32>, tensor<3x6xf32>, tensor<4x7xf32>, tensor<5x6xf32>, tensor<4x6xf32>, tensor<7x8xf32>, tensor<5x6xf32>
  }
  func.func private @_pad(%arg0: tensor<3x4xf32>, %arg1: tensor<i32>) -> tensor<5x6xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1, 1], high = [1, 1], interior = [0, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<5x6xf32>
    return %1 : tensor<5x6xf32>
  }
  func.func private @_pad_0(%arg0: tensor<3x4xf32>, %arg1: tensor<i32>) -> tensor<4x6xf32> {
    %0 = stablehlo.slice %arg0 [0:1, 0:4] : (tensor<3x4xf32>) -> tensor<1x4xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 2] : (tensor<1x4xf32>) -> tensor<1x1x4xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x1x4xf32>) -> tensor<1x4xf32>
    %3 = stablehlo.slice %arg0 [2:3, 0:4] : (tensor<3x4xf32>) -> tensor<1x4xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 2] : (tensor<1x4xf32>) -> tensor<1x0x4xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x0x4xf32>) -> tensor<0x4xf32>
    %6 = stablehlo.concatenate %2, %arg0, %5, dim = 0 : (tensor<1x4xf32>, tensor<3x4xf32>, tensor<0x4xf32>) -> tensor<4x4xf32>
    %7 = stablehlo.slice %6 [0:4, 0:1] : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x0xf32>
    %9 = stablehlo.reshape %8 : (tensor<4x1x0xf32>) -> tensor<4x0xf32>
    %10 = stablehlo.slice %6 [0:4, 3:4] : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x2xf32>
    %12 = stablehlo.reshape %11 : (tensor<4x1x2xf32>) -> tensor<4x2xf32>
    %13 = stablehlo.concatenate %9, %6, %12, dim = 1 : (tensor<4x0xf32>, tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x6xf32>
    return %13 : tensor<4x6xf32>
  }
  func.func private @_pad_1(%arg0: tensor<3x4xf32>, %arg1: tensor<i32>) -> tensor<7x8xf32> {
    %0 = stablehlo.slice %arg0 [0:1, 0:4] : (tensor<3x4xf32>) -> tensor<1x4xf32>
    %1 = stablehlo.slice %arg0 [1:3, 0:4] : (tensor<3x4xf32>) -> tensor<2x4xf32>
    %2 = call @_flip(%1) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %3 = stablehlo.concatenate %2, %arg0, dim = 0 : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
    %4 = stablehlo.slice %3 [4:5, 0:4] : (tensor<5x4xf32>) -> tensor<1x4xf32>
    %5 = stablehlo.slice %3 [2:4, 0:4] : (tensor<5x4xf32>) -> tensor<2x4xf32>
    %6 = call @_flip(%5) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %7 = stablehlo.concatenate %3, %6, dim = 0 : (tensor<5x4xf32>, tensor<2x4xf32>) -> tensor<7x4xf32>
    %8 = stablehlo.slice %7 [0:7, 0:1] : (tensor<7x4xf32>) -> tensor<7x1xf32>
    %9 = stablehlo.slice %7 [0:7, 1:3] : (tensor<7x4xf32>) -> tensor<7x2xf32>
    %10 = call @_flip_2(%9) : (tensor<7x2xf32>) -> tensor<7x2xf32>
    %11 = stablehlo.concatenate %10, %7, dim = 1 : (tensor<7x2xf32>, tensor<7x4xf32>) -> tensor<7x6xf32>
    %12 = stablehlo.slice %11 [0:7, 5:6] : (tensor<7x6xf32>) -> tensor<7x1xf32>
    %13 = stablehlo.slice %11 [0:7, 3:5] : (tensor<7x6xf32>) -> tensor<7x2xf32>
    %14 = call @_flip_2(%13) : (tensor<7x2xf32>) -> tensor<7x2xf32>
    %15 = stablehlo.concatenate %11, %14, dim = 1 : (tensor<7x6xf32>, tensor<7x2xf32>) -> tensor<7x8xf32>
    return %15 : tensor<7x8xf32>
  }
  func.func private @_flip(%arg0: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
  func.func private @_flip_2(%arg0: tensor<7x2xf32>) -> tensor<7x2xf32> {
    %0 = stablehlo.reverse %arg0, dims = [1] : tensor<7x2xf32>
    return %0 : tensor<7x2xf32>
  }
  func.func private @_pad_3(%arg0: tensor<3x4xf32>, %arg1: tensor<i32>) -> tensor<5x6xf32> {
    %0 = stablehlo.slice %arg0 [2:3, 0:4] : (tensor<3x4xf32>) -> tensor<1x4xf32>
    %1 = stablehlo.slice %arg0 [0:1, 0:4] : (tensor<3x4xf32>) -> tensor<1x4xf32>
    %2 = stablehlo.concatenate %0, %arg0, %1, dim = 0 : (tensor<1x4xf32>, tensor<3x4xf32>, tensor<1x4xf32>) -> tensor<5x4xf32>
    %3 = stablehlo.slice %2 [0:5, 3:4] : (tensor<5x4xf32>) -> tensor<5x1xf32>
    %4 = stablehlo.slice %2 [0:5, 0:1] : (tensor<5x4xf32>) -> tensor<5x1xf32>
    %5 = stablehlo.concatenate %3, %2, %4, dim = 1 : (tensor<5x1xf32>, tensor<5x4xf32>, tensor<5x1xf32>) -> tensor<5x6xf32>
    return %5 : tensor<5x6xf32>
  }
}
