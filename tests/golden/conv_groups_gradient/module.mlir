module @jit_conv_groups_gradient attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5x5x4xf32>, %arg1: tensor<3x3x2x4xf32>, %arg2: tensor<2x2x4x2xf32>) -> (tensor<2x5x5x4xf32> {jax.result_info = "result[0][0]"}, tensor<3x3x2x4xf32> {jax.result_info = "result[0][1]"}, tensor<2x5x5x4xf32> {jax.result_info = "result[1][0]"}, tensor<2x2x4x2xf32> {jax.result_info = "result[1][1]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x5x4xf32>, tensor<3x3x2x4xf32>) -> tensor<2x3x5x4xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<2x3x5x4xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x5x4xf32>
    %3 = stablehlo.multiply %2, %0 : tensor<2x3x5x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x5x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x3x5x4xf32>
    %6 = stablehlo.multiply %5, %3 : tensor<2x3x5x4xf32>
    %7 = stablehlo.convolution(%arg0, %6) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 1], reverse = [false, false]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x5x4xf32>, tensor<2x3x5x4xf32>) -> tensor<3x3x2x4xf32>
    %8 = stablehlo.reshape %arg1 : (tensor<3x3x2x4xf32>) -> tensor<3x3x2x2x2xf32>
    %9 = stablehlo.transpose %8, dims = [0, 1, 3, 2, 4] : (tensor<3x3x2x2x2xf32>) -> tensor<3x3x2x2x2xf32>
    %10 = stablehlo.reshape %9 : (tensor<3x3x2x2x2xf32>) -> tensor<3x3x4x2xf32>
    %11 = stablehlo.reverse %10, dims = [0, 1] : tensor<3x3x4x2xf32>
    %12 = stablehlo.convolution(%6, %11) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [2, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x5x4xf32>, tensor<3x3x4x2xf32>) -> tensor<2x5x5x4xf32>
    %13 = stablehlo.convolution(%arg0, %arg2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x5x4xf32>, tensor<2x2x4x2xf32>) -> tensor<1x4x4x2xf32>
    %14 = stablehlo.multiply %13, %13 : tensor<1x4x4x2xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1x4x4x2xf32>
    %16 = stablehlo.multiply %15, %13 : tensor<1x4x4x2xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%14 init: %cst_3) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<1x4x4x2xf32>, tensor<f32>) -> tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1x4x4x2xf32>
    %19 = stablehlo.multiply %18, %16 : tensor<1x4x4x2xf32>
    %20 = stablehlo.convolution(%arg0, %19) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x5x4xf32>, tensor<1x4x4x2xf32>) -> tensor<2x2x4x2xf32>
    %21 = stablehlo.reshape %arg2 : (tensor<2x2x4x2xf32>) -> tensor<2x2x4x2x1xf32>
    %22 = stablehlo.transpose %21, dims = [0, 1, 3, 2, 4] : (tensor<2x2x4x2x1xf32>) -> tensor<2x2x2x4x1xf32>
    %23 = stablehlo.reshape %22 : (tensor<2x2x2x4x1xf32>) -> tensor<2x2x8x1xf32>
    %24 = stablehlo.reverse %23, dims = [0, 1] : tensor<2x2x8x1xf32>
    %25 = stablehlo.convolution(%19, %24) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x4x2xf32>, tensor<2x2x8x1xf32>) -> tensor<1x5x5x8xf32>
    %26 = stablehlo.reshape %25 : (tensor<1x5x5x8xf32>) -> tensor<1x5x5x2x4xf32>
    %27 = stablehlo.transpose %26, dims = [3, 0, 1, 2, 4] : (tensor<1x5x5x2x4xf32>) -> tensor<2x1x5x5x4xf32>
    %28 = stablehlo.reshape %27 : (tensor<2x1x5x5x4xf32>) -> tensor<2x5x5x4xf32>
    return %12, %7, %28, %20 : tensor<2x5x5x4xf32>, tensor<3x3x2x4xf32>, tensor<2x5x5x4xf32>, tensor<2x2x4x2xf32>
  }
}
