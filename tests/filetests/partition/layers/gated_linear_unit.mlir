// test collectives
// test equal devices=8
// Values and gates are halves of the features of one place: nothing is sent.
module @main {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%x: tensor<2x16x12x4xf64>) -> (tensor<2x16x12x2xf32> {jax.result_info = "0"}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {"y"}, {?}, {?}]> : tensor<2x16x12x4xf64>
    %1 = stablehlo.slice %0 [0:2, 0:16, 0:12, 0:2] : (tensor<2x16x12x4xf64>) -> tensor<2x16x12x2xf64>
    %2 = stablehlo.slice %0 [0:2, 0:16, 0:12, 2:4] : (tensor<2x16x12x4xf64>) -> tensor<2x16x12x2xf64>
    %3 = stablehlo.logistic %2 : tensor<2x16x12x2xf64>
    %4 = stablehlo.multiply %1, %3 : tensor<2x16x12x2xf64>
    %5 = stablehlo.convert %4 : (tensor<2x16x12x2xf64>) -> tensor<2x16x12x2xf32>
    return %5 : tensor<2x16x12x2xf32>
  }
}
//| --- collectives
//| 0 flops in contractions
//| --- equal devices=8
