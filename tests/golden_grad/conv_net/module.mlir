module @jit_conv_net attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x9x8x3xf64>, %arg1: tensor<3x3x3x4xf64>, %arg2: tensor<2x2x4x5xf64>, %arg3: tensor<5xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x9x8x3xf64>, tensor<3x3x3x4xf64>) -> tensor<2x9x8x4xf64>
    %1 = call @relu(%0) : (tensor<2x9x8x4xf64>) -> tensor<2x9x8x4xf64>
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<f64>
    %3 = "stablehlo.reduce_window"(%1, %2) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg4: tensor<f64>, %arg5: tensor<f64>):
      %13 = stablehlo.maximum %arg4, %arg5 : tensor<f64>
      stablehlo.return %13 : tensor<f64>
    }) : (tensor<2x9x8x4xf64>, tensor<f64>) -> tensor<2x4x4x4xf64>
    %4 = stablehlo.convolution(%3, %arg2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[0, 1], [1, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf64>, tensor<2x2x4x5xf64>) -> tensor<2x2x4x5xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.reduce(%4 init: %cst_0) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x2x4x5xf64>, tensor<f64>) -> tensor<2x5xf64>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<2x5xf64>
    %7 = stablehlo.divide %5, %6 : tensor<2x5xf64>
    %8 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<5xf64>) -> tensor<1x5xf64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x5xf64>) -> tensor<2x5xf64>
    %10 = stablehlo.add %7, %9 : tensor<2x5xf64>
    %11 = stablehlo.sine %10 : tensor<2x5xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %12 = stablehlo.reduce(%11 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5xf64>, tensor<f64>) -> tensor<f64>
    return %12 : tensor<f64>
  }
  func.func private @relu(%arg0: tensor<2x9x8x4xf64>) -> tensor<2x9x8x4xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x9x8x4xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x9x8x4xf64>
    return %1 : tensor<2x9x8x4xf64>
  }
}
