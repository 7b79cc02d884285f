module @jit_conv_transpose attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x3x4x2xf32>, %arg1: tensor<3x3x2x3xf32>) -> (tensor<1x6x8x3xf32> {jax.result_info = "result[0]"}, tensor<1x5x12x3xf32> {jax.result_info = "result[1]"}, tensor<1x6x4x3xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x3x4x2xf32>, tensor<3x3x2x3xf32>) -> tensor<1x6x8x3xf32>
    %1 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 3], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x3x4x2xf32>, tensor<3x3x2x3xf32>) -> tensor<1x5x12x3xf32>
    %2 = stablehlo.transpose %arg1, dims = [0, 1, 3, 2] : (tensor<3x3x2x3xf32>) -> tensor<3x3x3x2xf32>
    %3 = stablehlo.reverse %2, dims = [0] : tensor<3x3x3x2xf32>
    %4 = stablehlo.reverse %3, dims = [1] : tensor<3x3x3x2xf32>
    %5 = stablehlo.transpose %4, dims = [0, 1, 3, 2] : (tensor<3x3x3x2xf32>) -> tensor<3x3x2x3xf32>
    %6 = stablehlo.convolution(%arg0, %5) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 1], [1, 1]], lhs_dilate = [2, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x3x4x2xf32>, tensor<3x3x2x3xf32>) -> tensor<1x6x4x3xf32>
    return %0, %1, %6 : tensor<1x6x8x3xf32>, tensor<1x5x12x3xf32>, tensor<1x6x4x3xf32>
  }
}
