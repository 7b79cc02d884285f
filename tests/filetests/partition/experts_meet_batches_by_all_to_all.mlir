// test partition
// test equal seeds=2
// GShard: tokens by group over `x`, expert weights by expert over `x`; two all-to-alls around the product, no gather.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%d: tensor<4x8x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}, %w: tensor<8x64x2048xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}) -> (tensor<4x8x2048xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}) {
    %0 = stablehlo.dot_general %d, %w, batching_dims = [1] x [0], contracting_dims = [2] x [1] : (tensor<4x8x64xf32>, tensor<8x64x2048xf32>) -> tensor<8x4x2048xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<8x4x2048xf32>) -> tensor<4x8x2048xf32>
    return %1 : tensor<4x8x2048xf32>
  }
}
