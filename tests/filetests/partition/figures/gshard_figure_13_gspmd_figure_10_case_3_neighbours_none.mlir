// test collectives devices=4
// test equal devices=4 seeds=2
// A window of one of the figure's case 3 (eight places over four devices, stride 2, dilation 3): every device has all it needs.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%base: tensor<2x4x3xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}, %window: tensor<1x3x4xf32>) -> (tensor<2x8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}) {
    %0 = stablehlo.convolution(%base, %window) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[2, 3]], lhs_dilate = [3], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x3xf32>, tensor<1x3x4xf32>) -> tensor<2x8x4xf32>
    return %0 : tensor<2x8x4xf32>
  }
}
//| --- collectives devices=4
//| 96 flops in contractions
//| --- equal devices=4 seeds=2
