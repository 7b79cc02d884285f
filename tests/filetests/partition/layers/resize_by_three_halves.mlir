// test collectives
// test equal devices=8
// A straight line between places: one row from either neighbour, though three places are made of two.
module @main {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%x: tensor<2x16x12x4xf64>) -> (tensor<2x24x18x4xf32> {jax.result_info = "0"}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {"y"}, {?}, {?}]> : tensor<2x16x12x4xf64>
    %1 = stablehlo.constant dense<[[[[0.16666666666666663]]], [[[0.33333333333333337]]], [[[5.000000e-01]]], [[[0.66666666666666674]]], [[[0.83333333333333337]]], [[[1.000000e+00]]], [[[0.83333333333333337]]], [[[0.66666666666666674]]], [[[5.000000e-01]]], [[[0.33333333333333337]]], [[[0.16666666666666663]]]]> : tensor<11x1x1x1xf64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<11x1x1x1xf64>) -> tensor<11x1x1x4xf64>
    %3 = stablehlo.convolution(%0, %2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [4, 1], pad = [[6, 6], [0, 0]], lhs_dilate = [6, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x16x12x4xf64>, tensor<11x1x1x4xf64>) -> tensor<2x24x12x4xf64>
    %4 = stablehlo.constant dense<[[[[0.83333333333333337]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[0.83333333333333337]]]]> : tensor<1x24x1x1xf64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2, 3] : (tensor<1x24x1x1xf64>) -> tensor<2x24x12x4xf64>
    %6 = stablehlo.divide %3, %5 : tensor<2x24x12x4xf64>
    %7 = stablehlo.constant dense<[[[[0.16666666666666663]], [[0.33333333333333337]], [[5.000000e-01]], [[0.66666666666666674]], [[0.83333333333333337]], [[1.000000e+00]], [[0.83333333333333337]], [[0.66666666666666674]], [[5.000000e-01]], [[0.33333333333333337]], [[0.16666666666666663]]]]> : tensor<1x11x1x1xf64>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3] : (tensor<1x11x1x1xf64>) -> tensor<1x11x1x4xf64>
    %9 = stablehlo.convolution(%6, %8) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 4], pad = [[0, 0], [6, 6]], lhs_dilate = [1, 6], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x24x12x4xf64>, tensor<1x11x1x4xf64>) -> tensor<2x24x18x4xf64>
    %10 = stablehlo.constant dense<[[[[0.83333333333333337], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [0.83333333333333337]]]]> : tensor<1x1x18x1xf64>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2, 3] : (tensor<1x1x18x1xf64>) -> tensor<2x24x18x4xf64>
    %12 = stablehlo.divide %9, %11 : tensor<2x24x18x4xf64>
    %13 = stablehlo.convert %12 : (tensor<2x24x18x4xf64>) -> tensor<2x24x18x4xf32>
    return %13 : tensor<2x24x18x4xf32>
  }
}
//| --- collectives
//| 2 permute: 768 bytes
//| 15840 flops in contractions
//| --- equal devices=8
