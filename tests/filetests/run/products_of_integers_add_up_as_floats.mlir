// test run
// Integers on both sides and a float as their sum: JAX's `preferred_element_type`.
func.func public @main() -> (tensor<2x2xf32>, tensor<2x2xf64>, tensor<1x1x3xbf16>) {
  %a = stablehlo.constant dense<[[100, -100, 3], [1, 2, 127]]> : tensor<2x3xi8>
  %b = stablehlo.constant dense<[[30000, 1], [-30000, 2], [5, 3]]> : tensor<3x2xi16>
  %c = stablehlo.constant dense<[[[1, 2, 3, 4]]]> : tensor<1x1x4xi64>
  %k = stablehlo.constant dense<[[[10, 1]]]> : tensor<1x1x2xi64>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xi8>, tensor<3x2xi16>) -> tensor<2x2xf32>
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xi8>, tensor<3x2xi16>) -> tensor<2x2xf64>
  %2 = stablehlo.convolution(%c, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x4xi64>, tensor<1x1x2xi64>) -> tensor<1x1x3xbf16>
  return %0, %1, %2 : tensor<2x2xf32>, tensor<2x2xf64>, tensor<1x1x3xbf16>
}
//| 0: f32[2,2] [[6000015.0, -91.0], [-29365.0, 386.0]]
//| 1: f64[2,2] [[6000015.0, -91.0], [-29365.0, 386.0]]
//| 2: bf16[1,1,3] [[[12.0, 23.0, 34.0]]]
