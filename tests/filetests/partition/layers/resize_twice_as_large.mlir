// test collectives
// test equal devices=8
// The nearest of each place is on its own device; a straight line takes one row from either neighbour.
module @main {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%x: tensor<2x16x12x4xf64>) -> (tensor<2x32x24x4xf32> {jax.result_info = "0"}, tensor<2x32x24x4xf32> {jax.result_info = "1"}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {"y"}, {?}, {?}]> : tensor<2x16x12x4xf64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 3, 4] : (tensor<2x16x12x4xf64>) -> tensor<2x16x2x12x4xf64>
    %2 = stablehlo.reshape %1 : (tensor<2x16x2x12x4xf64>) -> tensor<2x32x12x4xf64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2, 4] : (tensor<2x32x12x4xf64>) -> tensor<2x32x12x2x4xf64>
    %4 = stablehlo.reshape %3 : (tensor<2x32x12x2x4xf64>) -> tensor<2x32x24x4xf64>
    %5 = stablehlo.constant dense<[[[[2.500000e-01]]], [[[5.000000e-01]]], [[[7.500000e-01]]], [[[1.000000e+00]]], [[[7.500000e-01]]], [[[5.000000e-01]]], [[[2.500000e-01]]]]> : tensor<7x1x1x1xf64>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2, 3] : (tensor<7x1x1x1xf64>) -> tensor<7x1x1x4xf64>
    %7 = stablehlo.convolution(%0, %6) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[4, 4], [0, 0]], lhs_dilate = [4, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x16x12x4xf64>, tensor<7x1x1x4xf64>) -> tensor<2x32x12x4xf64>
    %8 = stablehlo.constant dense<[[[[7.500000e-01]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[1.000000e+00]], [[7.500000e-01]]]]> : tensor<1x32x1x1xf64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x32x1x1xf64>) -> tensor<2x32x12x4xf64>
    %10 = stablehlo.divide %7, %9 : tensor<2x32x12x4xf64>
    %11 = stablehlo.constant dense<[[[[2.500000e-01]], [[5.000000e-01]], [[7.500000e-01]], [[1.000000e+00]], [[7.500000e-01]], [[5.000000e-01]], [[2.500000e-01]]]]> : tensor<1x7x1x1xf64>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2, 3] : (tensor<1x7x1x1xf64>) -> tensor<1x7x1x4xf64>
    %13 = stablehlo.convolution(%10, %12) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[0, 0], [4, 4]], lhs_dilate = [1, 4], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x32x12x4xf64>, tensor<1x7x1x4xf64>) -> tensor<2x32x24x4xf64>
    %14 = stablehlo.constant dense<[[[[7.500000e-01], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [1.000000e+00], [7.500000e-01]]]]> : tensor<1x1x24x1xf64>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2, 3] : (tensor<1x1x24x1xf64>) -> tensor<2x32x24x4xf64>
    %16 = stablehlo.divide %13, %15 : tensor<2x32x24x4xf64>
    %17 = stablehlo.convert %4 : (tensor<2x32x24x4xf64>) -> tensor<2x32x24x4xf32>
    %18 = stablehlo.convert %16 : (tensor<2x32x24x4xf64>) -> tensor<2x32x24x4xf32>
    return %17, %18 : tensor<2x32x24x4xf32>, tensor<2x32x24x4xf32>
  }
}
//| --- collectives
//| 2 permute: 768 bytes
//| 16128 flops in contractions
//| --- equal devices=8
