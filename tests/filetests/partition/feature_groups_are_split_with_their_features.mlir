// test partition
// test equal devices=4
// Four groups over four devices: each convolves its own group, and nothing moves.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%image: tensor<2x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}, {"x"}]>}, %kernel: tensor<3x2x12xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}, {"x"}]>}) -> (tensor<2x8x12xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}, {"x"}]>}) {
    %0 = stablehlo.convolution(%image, %kernel) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x8x8xf32>, tensor<3x2x12xf32>) -> tensor<2x8x12xf32>
    return %0 : tensor<2x8x12xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%image: tensor<2x8x2xf32>, %kernel: tensor<3x2x3xf32>) -> tensor<2x8x3xf32> {
//|     %0 = stablehlo.convolution(%image, %kernel) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x2xf32>, tensor<3x2x3xf32>) -> tensor<2x8x3xf32>
//|     return %0 : tensor<2x8x3xf32>
//|   }
//| }
//| --- equal devices=4
