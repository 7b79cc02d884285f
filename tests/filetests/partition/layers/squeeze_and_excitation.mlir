// test collectives
// test equal devices=8
// Means of places meet the 2 squeezed features before they are summed up: 2 numbers over 4 devices, and not 4.
module @main {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%x: tensor<2x16x12x4xf64>, %p.s.wi: tensor<4x2xf64>, %p.s.bi: tensor<2xf64>, %p.s.wo: tensor<2x4xf64>, %p.s.bo: tensor<4xf64>) -> (tensor<2x16x12x4xf32> {jax.result_info = "0"}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {"y"}, {?}, {?}]> : tensor<2x16x12x4xf64>
    %1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x16x12x4xf64>, tensor<f64>) -> tensor<2x4xf64>
    %3 = stablehlo.constant dense<1.920000e+02> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f64>) -> tensor<2x4xf64>
    %5 = stablehlo.divide %2, %4 : tensor<2x4xf64>
    %6 = stablehlo.dot_general %5, %p.s.wi, contracting_dims = [1] x [0] : (tensor<2x4xf64>, tensor<4x2xf64>) -> tensor<2x2xf64>
    %7 = stablehlo.broadcast_in_dim %p.s.bi, dims = [1] : (tensor<2xf64>) -> tensor<2x2xf64>
    %8 = stablehlo.add %6, %7 : tensor<2x2xf64>
    %9 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f64>) -> tensor<2x2xf64>
    %11 = stablehlo.maximum %8, %10 : tensor<2x2xf64>
    %12 = stablehlo.dot_general %11, %p.s.wo, contracting_dims = [1] x [0] : (tensor<2x2xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
    %13 = stablehlo.broadcast_in_dim %p.s.bo, dims = [1] : (tensor<4xf64>) -> tensor<2x4xf64>
    %14 = stablehlo.add %12, %13 : tensor<2x4xf64>
    %15 = stablehlo.logistic %14 : tensor<2x4xf64>
    %16 = stablehlo.reshape %15 : (tensor<2x4xf64>) -> tensor<2x1x4xf64>
    %17 = stablehlo.reshape %16 : (tensor<2x1x4xf64>) -> tensor<2x1x1x4xf64>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2, 3] : (tensor<2x1x1x4xf64>) -> tensor<2x16x12x4xf64>
    %19 = stablehlo.multiply %0, %18 : tensor<2x16x12x4xf64>
    %20 = stablehlo.convert %19 : (tensor<2x16x12x4xf64>) -> tensor<2x16x12x4xf32>
    return %20 : tensor<2x16x12x4xf32>
  }
}
//| --- collectives
//| 1 all-reduce over {"y"}: 24 bytes
//| 32 flops in contractions
//| --- equal devices=8
