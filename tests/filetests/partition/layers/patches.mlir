// test collectives
// test equal devices=8
// Patches of 4 rows lie on one device each: nothing is sent.
module @main {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%x: tensor<2x16x12x4xf64>, %p.p.kernel: tensor<4x3x4x8xf64>, %p.p.bias: tensor<8xf64>) -> (tensor<2x16x8xf32> {jax.result_info = "0"}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {"y"}, {?}, {?}]> : tensor<2x16x12x4xf64>
    %1 = stablehlo.convolution(%0, %p.p.kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [4, 3], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x12x4xf64>, tensor<4x3x4x8xf64>) -> tensor<2x4x4x8xf64>
    %2 = stablehlo.broadcast_in_dim %p.p.bias, dims = [3] : (tensor<8xf64>) -> tensor<2x4x4x8xf64>
    %3 = stablehlo.add %1, %2 : tensor<2x4x4x8xf64>
    %4 = stablehlo.reshape %3 : (tensor<2x4x4x8xf64>) -> tensor<2x16x8xf64>
    %5 = stablehlo.convert %4 : (tensor<2x16x8xf64>) -> tensor<2x16x8xf32>
    return %5 : tensor<2x16x8xf32>
  }
}
//| --- collectives
//| 3072 flops in contractions
//| --- equal devices=8
