// test collectives
// test equal devices=8
// A window of 3 on every second of 16 rows sees one row behind its piece (384 bytes). The largest of all places, of 4
// features, is found over the 4 devices of an image (48).
module @main {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%x: tensor<2x16x12x4xf64>) -> (tensor<2x8x6x4xf32> {jax.result_info = "0"}, tensor<2x4xf32> {jax.result_info = "1"}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {"y"}, {?}, {?}]> : tensor<2x16x12x4xf64>
    %1 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %2 = "stablehlo.reduce_window"(%0, %1) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg0: tensor<f64>, %arg1: tensor<f64>):
      %7 = stablehlo.maximum %arg0, %arg1 : tensor<f64>
      stablehlo.return %7 : tensor<f64>
    }) : (tensor<2x16x12x4xf64>, tensor<f64>) -> tensor<2x8x6x4xf64>
    %3 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %4 = stablehlo.reduce(%0 init: %3) applies stablehlo.maximum across dimensions = [1, 2] : (tensor<2x16x12x4xf64>, tensor<f64>) -> tensor<2x4xf64>
    %5 = stablehlo.convert %2 : (tensor<2x8x6x4xf64>) -> tensor<2x8x6x4xf32>
    %6 = stablehlo.convert %4 : (tensor<2x4xf64>) -> tensor<2x4xf32>
    return %5, %6 : tensor<2x8x6x4xf32>, tensor<2x4xf32>
  }
}
//| --- collectives
//| 1 all-reduce over {"y"}: 48 bytes
//| 1 permute: 384 bytes
//| 0 flops in contractions
//| --- equal devices=8
