// test collectives
// test equal devices=8
// Split along two of three spatial dims: 2 rows of 3 x 5 places of two volumes with 2 features (960 bytes), then columns
// of 2 + 2 rows (1280): corners come along.
module @main {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%x: tensor<2x8x6x5x2xf64>, %p.c.kernel: tensor<3x3x3x2x2xf64>, %p.c.bias: tensor<2xf64>) -> (tensor<2x8x6x5x2xf32> {jax.result_info = "0"}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{?}, {"y"}, {"x"}, {?}, {?}]> : tensor<2x8x6x5x2xf64>
    %1 = stablehlo.convolution(%0, %p.c.kernel) dim_numbers = [b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f], window = {stride = [1, 1, 1], pad = [[1, 1], [1, 1], [1, 1]], lhs_dilate = [1, 1, 1], rhs_dilate = [1, 1, 1], reverse = [false, false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x6x5x2xf64>, tensor<3x3x3x2x2xf64>) -> tensor<2x8x6x5x2xf64>
    %2 = stablehlo.broadcast_in_dim %p.c.bias, dims = [4] : (tensor<2xf64>) -> tensor<2x8x6x5x2xf64>
    %3 = stablehlo.add %1, %2 : tensor<2x8x6x5x2xf64>
    %4 = stablehlo.convert %3 : (tensor<2x8x6x5x2xf64>) -> tensor<2x8x6x5x2xf32>
    return %4 : tensor<2x8x6x5x2xf32>
  }
}
//| --- collectives
//| 4 permute: 2240 bytes
//| 12960 flops in contractions
//| --- equal devices=8
