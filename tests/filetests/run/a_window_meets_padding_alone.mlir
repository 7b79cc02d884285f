// test run
// The only result lies so that the first row of the window meets nothing but padding; the second row meets 1 and 2.
func.func public @main() -> tensor<1x1x1x1xf32> {
  %x = stablehlo.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %w = stablehlo.constant dense<[[[[10.0, 20.0], [100.0, 1000.0]]]]> : tensor<1x1x2x2xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[1, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x1x1xf32>
  return %0 : tensor<1x1x1x1xf32>
}
//| 0: f32[1,1,1,1] [[[[2100.0]]]]
