module @jit_conv_gradient attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5x6x2xf32>, %arg1: tensor<3x2x2x3xf32>) -> (tensor<2x5x6x2xf32> {jax.result_info = "result[0][0]"}, tensor<3x2x2x3xf32> {jax.result_info = "result[0][1]"}, tensor<2x5x6x2xf32> {jax.result_info = "result[1][0]"}, tensor<3x2x2x3xf32> {jax.result_info = "result[1][1]"}, tensor<2x5x6x2xf32> {jax.result_info = "result[2][0]"}, tensor<3x2x2x3xf32> {jax.result_info = "result[2][1]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x6x2xf32>, tensor<3x2x2x3xf32>) -> tensor<2x5x6x3xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<2x5x6x3xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x5x6x3xf32>
    %3 = stablehlo.multiply %2, %0 : tensor<2x5x6x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x5x6x3xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x5x6x3xf32>
    %6 = stablehlo.multiply %5, %3 : tensor<2x5x6x3xf32>
    %7 = stablehlo.convolution(%arg0, %6) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x6x2xf32>, tensor<2x5x6x3xf32>) -> tensor<3x2x2x3xf32>
    %8 = stablehlo.reverse %arg1, dims = [0, 1] : tensor<3x2x2x3xf32>
    %9 = stablehlo.convolution(%6, %8) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x6x3xf32>, tensor<3x2x2x3xf32>) -> tensor<2x5x6x2xf32>
    %10 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 3], pad = [[1, 1], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x6x2xf32>, tensor<3x2x2x3xf32>) -> tensor<2x3x2x3xf32>
    %11 = stablehlo.multiply %10, %10 : tensor<2x3x2x3xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x3x2x3xf32>
    %13 = stablehlo.multiply %12, %10 : tensor<2x3x2x3xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%11 init: %cst_3) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x2x3xf32>, tensor<f32>) -> tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x3x2x3xf32>
    %16 = stablehlo.multiply %15, %13 : tensor<2x3x2x3xf32>
    %17 = stablehlo.convolution(%arg0, %16) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [0, -1]], lhs_dilate = [1, 1], rhs_dilate = [2, 3], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x6x2xf32>, tensor<2x3x2x3xf32>) -> tensor<3x2x2x3xf32>
    %18 = stablehlo.reverse %arg1, dims = [0, 1] : tensor<3x2x2x3xf32>
    %19 = stablehlo.convolution(%16, %18) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 2]], lhs_dilate = [2, 3], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x2x3xf32>, tensor<3x2x2x3xf32>) -> tensor<2x5x6x2xf32>
    %20 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 2], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x6x2xf32>, tensor<3x2x2x3xf32>) -> tensor<2x5x6x3xf32>
    %21 = stablehlo.multiply %20, %20 : tensor<2x5x6x3xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x5x6x3xf32>
    %23 = stablehlo.multiply %22, %20 : tensor<2x5x6x3xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.reduce(%21 init: %cst_6) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x5x6x3xf32>, tensor<f32>) -> tensor<f32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x5x6x3xf32>
    %26 = stablehlo.multiply %25, %23 : tensor<2x5x6x3xf32>
    %27 = stablehlo.convolution(%arg0, %26) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [2, 1], pad = [[2, 2], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x6x2xf32>, tensor<2x5x6x3xf32>) -> tensor<3x2x2x3xf32>
    %28 = stablehlo.reverse %arg1, dims = [0, 1] : tensor<3x2x2x3xf32>
    %29 = stablehlo.convolution(%26, %28) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 2], [1, 0]], lhs_dilate = [1, 1], rhs_dilate = [2, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x6x3xf32>, tensor<3x2x2x3xf32>) -> tensor<2x5x6x2xf32>
    return %9, %7, %19, %17, %29, %27 : tensor<2x5x6x2xf32>, tensor<3x2x2x3xf32>, tensor<2x5x6x2xf32>, tensor<3x2x2x3xf32>, tensor<2x5x6x2xf32>, tensor<3x2x2x3xf32>
  }
}
