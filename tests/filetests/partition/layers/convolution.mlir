// test collectives
// test equal devices=8
// A window of 3 rows takes one from either neighbour: 2 rows of 12 places of 4 features, 8 bytes each.
module @main {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%x: tensor<2x16x12x4xf64>, %p.c.kernel: tensor<3x3x4x4xf64>, %p.c.bias: tensor<4xf64>) -> (tensor<2x16x12x4xf32> {jax.result_info = "0"}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {"y"}, {?}, {?}]> : tensor<2x16x12x4xf64>
    %1 = stablehlo.convolution(%0, %p.c.kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x12x4xf64>, tensor<3x3x4x4xf64>) -> tensor<2x16x12x4xf64>
    %2 = stablehlo.broadcast_in_dim %p.c.bias, dims = [3] : (tensor<4xf64>) -> tensor<2x16x12x4xf64>
    %3 = stablehlo.add %1, %2 : tensor<2x16x12x4xf64>
    %4 = stablehlo.convert %3 : (tensor<2x16x12x4xf64>) -> tensor<2x16x12x4xf32>
    return %4 : tensor<2x16x12x4xf32>
  }
}
//| --- collectives
//| 2 permute: 768 bytes
//| 13824 flops in contractions
//| --- equal devices=8
