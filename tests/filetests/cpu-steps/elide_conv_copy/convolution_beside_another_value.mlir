// test cpu-steps elide_conv_copy
// The convolution writes to the rows where the loop that reads it stores its own result.
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x8xf32>, %h: tensor<1x1x8x8xf32>) -> tensor<1x9x8x8xf32> {
  %a = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x8x8x8xf32>
  %b = stablehlo.negate %a : tensor<1x8x8x8xf32>
  %c = stablehlo.concatenate %h, %b, dim = 1 : (tensor<1x1x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x9x8x8xf32>
  return %c : tensor<1x9x8x8xf32>
}
//| %0 = input 0, 1024 bytes  // parameter 0 f32[1,8,8,4]
//| %1 = input 1, 1152 bytes  // parameter 1 f32[3,3,4,8]
//| %2 = input 2, 256 bytes  // parameter 2 f32[1,1,8,8]
//| %5 = result 0, 2304 bytes  // negate f32[1,8,8,8]
//| {
//|   convolution %0, %1 -> %5[256 : 2048]  // convolution f32[1,8,8,8]
//|   fused(1 ops, 2 tiles) %5[256 : 2048] -> %5[256 : 2048]  // fused of 1 ops [512]
//|   copy %2[0 : 256] -> %5[0 : 256]  // concatenate f32[1,9,8,8]
//| }
