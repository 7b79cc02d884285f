// test collectives
// test equal devices=8
// Windows of 4, 2 apart: a place is made of two elements, of which one may be a neighbour's: 2 rows of 6 places of 4
// features.
module @main {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%x: tensor<2x8x6x4xf64>, %p.c.kernel: tensor<4x4x4x3xf64>, %p.c.bias: tensor<3xf64>) -> (tensor<2x16x12x3xf32> {jax.result_info = "0"}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {"y"}, {?}, {?}]> : tensor<2x8x6x4xf64>
    %1 = stablehlo.convolution(%0, %p.c.kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x6x4xf64>, tensor<4x4x4x3xf64>) -> tensor<2x16x12x3xf64>
    %2 = stablehlo.broadcast_in_dim %p.c.bias, dims = [3] : (tensor<3xf64>) -> tensor<2x16x12x3xf64>
    %3 = stablehlo.add %1, %2 : tensor<2x16x12x3xf64>
    %4 = stablehlo.convert %3 : (tensor<2x16x12x3xf64>) -> tensor<2x16x12x3xf32>
    return %4 : tensor<2x16x12x3xf32>
  }
}
//| --- collectives
//| 2 permute: 384 bytes
//| 18432 flops in contractions
//| --- equal devices=8
