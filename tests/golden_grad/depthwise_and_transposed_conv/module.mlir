module @jit_depthwise_and_transposed_conv attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x6x9xf64>, %arg1: tensor<12x1x3xf64>, %arg2: tensor<6x4x2xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[2, 2]], lhs_dilate = [1], rhs_dilate = [2], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 6 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x6x9xf64>, tensor<12x1x3xf64>) -> tensor<2x12x9xf64>
    %1 = stablehlo.slice %0 [0:2, 0:12:2, 0:9] : (tensor<2x12x9xf64>) -> tensor<2x6x9xf64>
    %2 = stablehlo.tanh %1 : tensor<2x6x9xf64>
    %3 = stablehlo.convolution(%2, %arg2) dim_numbers = [b, f, 0]x[i, o, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [2], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x6x9xf64>, tensor<6x4x2xf64>) -> tensor<2x4x18xf64>
    %4 = stablehlo.multiply %3, %3 : tensor<2x4x18xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x18xf64>, tensor<f64>) -> tensor<f64>
    %cst_0 = stablehlo.constant dense<1.440000e+02> : tensor<f64>
    %6 = stablehlo.divide %5, %cst_0 : tensor<f64>
    return %6 : tensor<f64>
  }
}
