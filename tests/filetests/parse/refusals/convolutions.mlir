// test parse
// A convolution is refused where its dim numbers or its window do not read.
func.func @main(%x: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x16xf32>, %s: tensor<3x16xf32>, %z: tensor<f32>) {
  %0 = stablehlo.convolution(%x, %s) dim_numbers = [b, 0, 1, f]x[i, o, 0, 1]->[b, 0, 1, f], window = {} : (tensor<1x8x8x3xf32>, tensor<3x16xf32>) -> tensor<1x6x6x16xf32> //~ ERROR the dim numbers name dims that the kernel of 2 dims does not have
  %1 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = 3} : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32> //~ ERROR attribute `window_reversal` must be a list of booleans
  %2 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = 3}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32> //~ ERROR attribute `dimension_numbers` must be #stablehlo.conv<[..]x[..]->[..]>
  %3 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, c]x[0, 1, i, o]->[b, 0, 1, f], window = {} : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32> //~ ERROR `c` is no part of a convolution's dim numbers
  %4 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 2, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32> //~ ERROR dim numbers must have one `b`, one `f` and the numbers from 0 on
  %5 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f] : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32> //~ ERROR expected `, window = {..}`, found `:`
  %6 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {strides = [1, 1]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32> //~ ERROR unknown window attribute `strides`
  %7 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1]]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32> //~ ERROR padding is written as pairs, `[[1, 1], [0, 2]]`
  %8 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32> //~ ERROR `window_strides` has 1 numbers, but 2 are needed
  %9 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv_raw<input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2], groups = 1>}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32> //~ ERROR stablehlo.convolution has no field `groups`
  return
}
