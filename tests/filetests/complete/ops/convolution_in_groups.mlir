// test complete values
// A group of features is a factor of its own.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x8x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"x"}]>},
    %f1: tensor<3x3x2x6xf32>,
    %b0: tensor<4x8x8x4xf32>,
    %b1: tensor<3x3x2x6xf32>
) -> (
    tensor<4x8x8x6xf32>,
    tensor<4x8x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {}, {"x"}]>}
) {
  %fout = stablehlo.convolution(%f0, %f1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<4x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<4x8x8x6xf32>
  %bout = stablehlo.convolution(%b0, %b1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<4x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<4x8x8x6xf32>
  return %fout, %bout : tensor<4x8x8x6xf32>, tensor<4x8x8x6xf32>
}
//| %f0 [{}, {}, {}, {"x"}]
//| %f1 [{}, {}, {}, {"x"}]
//| %b0 [{"y"}, {}, {}, {"x"}]
//| %b1 [{}, {}, {}, {"x"}]
//| %fout [{}, {}, {}, {"x"}]
//| %bout [{"y"}, {}, {}, {"x"}]
