// test collectives
// test equal devices=8
// A window of 4 that ends where it stands: 3 times of 3 features from the neighbour before, nothing from behind.
module @main {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%x: tensor<2x32x3xf64>, %p.c.kernel: tensor<4x3x4xf64>, %p.c.bias: tensor<4xf64>) -> (tensor<2x32x4xf32> {jax.result_info = "0"}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {"y"}, {?}]> : tensor<2x32x3xf64>
    %1 = stablehlo.convolution(%0, %p.c.kernel) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[3, 0]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x32x3xf64>, tensor<4x3x4xf64>) -> tensor<2x32x4xf64>
    %2 = stablehlo.broadcast_in_dim %p.c.bias, dims = [2] : (tensor<4xf64>) -> tensor<2x32x4xf64>
    %3 = stablehlo.add %1, %2 : tensor<2x32x4xf64>
    %4 = stablehlo.convert %3 : (tensor<2x32x4xf64>) -> tensor<2x32x4xf32>
    return %4 : tensor<2x32x4xf32>
  }
}
//| --- collectives
//| 1 permute: 72 bytes
//| 768 flops in contractions
//| --- equal devices=8
