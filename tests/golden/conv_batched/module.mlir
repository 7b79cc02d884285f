module @jit_conv_batched attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x1x4x4x2xf32>, %arg1: tensor<2x2x2x2x3xf32>, %arg2: tensor<1x4x4x2xbf16>, %arg3: tensor<2x2x2x3xbf16>) -> (tensor<2x1x4x4x3xf32> {jax.result_info = "result[0]"}, tensor<2x1x4x4x3xf32> {jax.result_info = "result[1]"}, tensor<2x1x4x4x3xf32> {jax.result_info = "result[2]"}, tensor<1x4x4x3xbf16> {jax.result_info = "result[3]"}, tensor<1x3x3x3xf32> {jax.result_info = "result[4]"}, tensor<1x3x3x8xf32> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 2, 3, 0, 4] : (tensor<2x1x4x4x2xf32>) -> tensor<1x4x4x2x2xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4x4x2x2xf32>) -> tensor<1x4x4x4xf32>
    %2 = stablehlo.transpose %arg1, dims = [1, 2, 3, 0, 4] : (tensor<2x2x2x2x3xf32>) -> tensor<2x2x2x2x3xf32>
    %3 = stablehlo.reshape %2 : (tensor<2x2x2x2x3xf32>) -> tensor<2x2x2x6xf32>
    %4 = stablehlo.convolution(%1, %3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x4x4xf32>, tensor<2x2x2x6xf32>) -> tensor<1x4x4x6xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x4x4x6xf32>) -> tensor<1x4x4x2x3xf32>
    %6 = stablehlo.transpose %5, dims = [3, 0, 1, 2, 4] : (tensor<1x4x4x2x3xf32>) -> tensor<2x1x4x4x3xf32>
    %7 = stablehlo.slice %arg1 [0:1, 0:2, 0:2, 0:2, 0:3] : (tensor<2x2x2x2x3xf32>) -> tensor<1x2x2x2x3xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x2x2x2x3xf32>) -> tensor<2x2x2x3xf32>
    %9 = stablehlo.reshape %arg0 : (tensor<2x1x4x4x2xf32>) -> tensor<2x4x4x2xf32>
    %10 = stablehlo.convolution(%9, %8) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x2xf32>, tensor<2x2x2x3xf32>) -> tensor<2x4x4x3xf32>
    %11 = stablehlo.reshape %10 : (tensor<2x4x4x3xf32>) -> tensor<2x1x4x4x3xf32>
    %12 = stablehlo.slice %arg0 [0:1, 0:1, 0:4, 0:4, 0:2] : (tensor<2x1x4x4x2xf32>) -> tensor<1x1x4x4x2xf32>
    %13 = stablehlo.reshape %12 : (tensor<1x1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
    %14 = stablehlo.transpose %arg1, dims = [1, 2, 3, 0, 4] : (tensor<2x2x2x2x3xf32>) -> tensor<2x2x2x2x3xf32>
    %15 = stablehlo.reshape %14 : (tensor<2x2x2x2x3xf32>) -> tensor<2x2x2x6xf32>
    %16 = stablehlo.convolution(%13, %15) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x4x2xf32>, tensor<2x2x2x6xf32>) -> tensor<1x4x4x6xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x4x4x6xf32>) -> tensor<1x4x4x2x3xf32>
    %18 = stablehlo.transpose %17, dims = [3, 0, 1, 2, 4] : (tensor<1x4x4x2x3xf32>) -> tensor<2x1x4x4x3xf32>
    %19 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x4x2xbf16>, tensor<2x2x2x3xbf16>) -> tensor<1x4x4x3xbf16>
    %20 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x4x2xbf16>, tensor<2x2x2x3xbf16>) -> tensor<1x3x3x3xf32>
    %21 = stablehlo.slice %arg0 [0:1, 0:1, 0:4, 0:4, 0:2] : (tensor<2x1x4x4x2xf32>) -> tensor<1x1x4x4x2xf32>
    %22 = stablehlo.reshape %21 : (tensor<1x1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
    %23 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %25 = stablehlo.add %23, %24 : tensor<4x4xi32>
    %26 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %27 = stablehlo.compare EQ, %25, %26, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %28 = stablehlo.convert %27 : (tensor<4x4xi1>) -> tensor<4x4xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [1, 2] : (tensor<4x4xf32>) -> tensor<2x4x4xf32>
    %30 = stablehlo.reshape %29 : (tensor<2x4x4xf32>) -> tensor<8x1x2x2xf32>
    %31 = stablehlo.transpose %30, dims = [2, 3, 1, 0] : (tensor<8x1x2x2xf32>) -> tensor<2x2x1x8xf32>
    %32 = stablehlo.convolution(%22, %31) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x4x2xf32>, tensor<2x2x1x8xf32>) -> tensor<1x3x3x8xf32>
    return %6, %11, %18, %19, %20, %32 : tensor<2x1x4x4x3xf32>, tensor<2x1x4x4x3xf32>, tensor<2x1x4x4x3xf32>, tensor<1x4x4x3xbf16>, tensor<1x3x3x3xf32>, tensor<1x3x3x8xf32>
  }
}
