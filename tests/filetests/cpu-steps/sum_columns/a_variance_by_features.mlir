// test cpu-steps sum_columns
// What is squared lies in scratch, a few rows of it; each piece of the rows leaves sums, and these are reduced.
func.func @main(%x: tensor<2x2048x64xf32>, %mean: tensor<2x64xf32>) -> tensor<2x64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.broadcast_in_dim %mean, dims = [0, 2] : (tensor<2x64xf32>) -> tensor<2x2048x64xf32>
  %d = stablehlo.subtract %x, %m : tensor<2x2048x64xf32>
  %q = stablehlo.multiply %d, %d : tensor<2x2048x64xf32>
  %s = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x2048x64xf32>, tensor<f32>) -> tensor<2x64xf32>
  return %s : tensor<2x64xf32>
}
//| %0 = input 0, 1048576 bytes  // parameter 0 f32[2,2048,64]
//| %1 = input 1, 512 bytes  // parameter 1 f32[2,64]
//| %4 = result 0, 512 bytes  // reduce f32[2,64]
//| %5 = arena, 4096 bytes  // sums of 64 columns
//| {
//|   rows(2 members, 1 values in scratch) %0[0 : 1048576], %1[0 : 512] -> %5  // fused of 2 ops [262144], sums of 64 columns
//|   reduce %5 -> %4  // reduce f32[2,64]
//| }
