// test collectives
// test equal devices=8
// A window of 3 on every second of 16 rows sees one row behind its piece (384 bytes). The mean of all places, of 4
// features, is summed up over the 4 devices of an image (48).
module @main {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%x: tensor<2x16x12x4xf64>) -> (tensor<2x8x6x4xf32> {jax.result_info = "0"}, tensor<2x4xf32> {jax.result_info = "1"}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {"y"}, {?}, {?}]> : tensor<2x16x12x4xf64>
    %1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = "stablehlo.reduce_window"(%0, %1) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg0: tensor<f64>, %arg1: tensor<f64>):
      %16 = stablehlo.add %arg0, %arg1 : tensor<f64>
      stablehlo.return %16 : tensor<f64>
    }) : (tensor<2x16x12x4xf64>, tensor<f64>) -> tensor<2x8x6x4xf64>
    %3 = stablehlo.constant dense<[[[[3.000000e+00]], [[3.000000e+00]], [[3.000000e+00]], [[3.000000e+00]], [[3.000000e+00]], [[3.000000e+00]], [[3.000000e+00]], [[2.000000e+00]]]]> : tensor<1x8x1x1xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf64>) -> tensor<2x8x6x4xf64>
    %5 = stablehlo.divide %2, %4 : tensor<2x8x6x4xf64>
    %6 = stablehlo.constant dense<[[[[3.000000e+00], [3.000000e+00], [3.000000e+00], [3.000000e+00], [3.000000e+00], [2.000000e+00]]]]> : tensor<1x1x6x1xf64>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2, 3] : (tensor<1x1x6x1xf64>) -> tensor<2x8x6x4xf64>
    %8 = stablehlo.divide %5, %7 : tensor<2x8x6x4xf64>
    %9 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %10 = stablehlo.reduce(%0 init: %9) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x16x12x4xf64>, tensor<f64>) -> tensor<2x4xf64>
    %11 = stablehlo.constant dense<1.920000e+02> : tensor<f64>
    %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f64>) -> tensor<2x4xf64>
    %13 = stablehlo.divide %10, %12 : tensor<2x4xf64>
    %14 = stablehlo.convert %8 : (tensor<2x8x6x4xf64>) -> tensor<2x8x6x4xf32>
    %15 = stablehlo.convert %13 : (tensor<2x4xf64>) -> tensor<2x4xf32>
    return %14, %15 : tensor<2x8x6x4xf32>, tensor<2x4xf32>
  }
}
//| --- collectives
//| 1 all-reduce over {"y"}: 48 bytes
//| 1 permute: 384 bytes
//| 0 flops in contractions
//| --- equal devices=8
