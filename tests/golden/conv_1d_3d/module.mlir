module @jit_conv_1d_3d attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x9xf32>, %arg1: tensor<4x3x3xf32>, %arg2: tensor<1x2x4x5x4xf32>, %arg3: tensor<2x2x2x3x2xf32>) -> (tensor<2x4x5xf32> {jax.result_info = "result[0]"}, tensor<1x4x3x4x2xf32> {jax.result_info = "result[1]"}, tensor<11xf32> {jax.result_info = "result[2]"}, tensor<9xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [2], pad = [[1, 2]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x9xf32>, tensor<4x3x3xf32>) -> tensor<2x4x5xf32>
    %1 = stablehlo.slice %arg3 [0:2, 0:2, 0:2, 0:2, 0:2] : (tensor<2x2x2x3x2xf32>) -> tensor<2x2x2x2x2xf32>
    %2 = stablehlo.convolution(%arg2, %1) dim_numbers = [b, f, 0, 1, 2]x[0, 1, 2, i, o]->[b, 0, 1, 2, f], window = {stride = [1, 2, 1], pad = [[0, 1], [0, 1], [0, 1]], lhs_dilate = [1, 1, 1], rhs_dilate = [1, 1, 1], reverse = [false, false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x2x4x5x4xf32>, tensor<2x2x2x2x2xf32>) -> tensor<1x4x3x4x2xf32>
    %3 = stablehlo.slice %arg0 [0:1, 0:1, 0:9] : (tensor<2x3x9xf32>) -> tensor<1x1x9xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x1x9xf32>) -> tensor<9xf32>
    %5 = stablehlo.slice %arg1 [0:1, 0:1, 0:3] : (tensor<4x3x3xf32>) -> tensor<1x1x3xf32>
    %6 = stablehlo.reshape %5 : (tensor<1x1x3xf32>) -> tensor<3xf32>
    %7 = call @convolve(%4, %6) : (tensor<9xf32>, tensor<3xf32>) -> tensor<11xf32>
    %8 = stablehlo.slice %arg0 [0:1, 0:1, 0:9] : (tensor<2x3x9xf32>) -> tensor<1x1x9xf32>
    %9 = stablehlo.reshape %8 : (tensor<1x1x9xf32>) -> tensor<9xf32>
    %10 = stablehlo.slice %arg1 [0:1, 0:1, 0:3] : (tensor<4x3x3xf32>) -> tensor<1x1x3xf32>
    %11 = stablehlo.reshape %10 : (tensor<1x1x3xf32>) -> tensor<3xf32>
    %12 = call @correlate(%9, %11) : (tensor<9xf32>, tensor<3xf32>) -> tensor<9xf32>
    return %0, %2, %7, %12 : tensor<2x4x5xf32>, tensor<1x4x3x4x2xf32>, tensor<11xf32>, tensor<9xf32>
  }
  func.func private @convolve(%arg0: tensor<9xf32>, %arg1: tensor<3xf32>) -> tensor<11xf32> {
    %0 = call @_conv(%arg0, %arg1) : (tensor<9xf32>, tensor<3xf32>) -> tensor<11xf32>
    return %0 : tensor<11xf32>
  }
  func.func private @_conv(%arg0: tensor<9xf32>, %arg1: tensor<3xf32>) -> tensor<11xf32> {
    %0 = call @_flip(%arg1) : (tensor<3xf32>) -> tensor<3xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<9xf32>) -> tensor<1x1x9xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [2] : (tensor<3xf32>) -> tensor<1x1x3xf32>
    %3 = stablehlo.convolution(%1, %2) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[2, 2]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x1x9xf32>, tensor<1x1x3xf32>) -> tensor<1x1x11xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x1x11xf32>) -> tensor<11xf32>
    return %4 : tensor<11xf32>
  }
  func.func private @_flip(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func private @correlate(%arg0: tensor<9xf32>, %arg1: tensor<3xf32>) -> tensor<9xf32> {
    %0 = call @_conv_0(%arg0, %arg1) : (tensor<9xf32>, tensor<3xf32>) -> tensor<9xf32>
    return %0 : tensor<9xf32>
  }
  func.func private @_conv_0(%arg0: tensor<9xf32>, %arg1: tensor<3xf32>) -> tensor<9xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<9xf32>) -> tensor<1x1x9xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<3xf32>) -> tensor<1x1x3xf32>
    %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x1x9xf32>, tensor<1x1x3xf32>) -> tensor<1x1x9xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x1x9xf32>) -> tensor<9xf32>
    return %3 : tensor<9xf32>
  }
}
