// test cpu-steps join_bands
// Loops over rows that read the same values become one step.
func.func @main(%x: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<64x96xf32>, tensor<f32>) -> tensor<64xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<64xf32>) -> tensor<64x96xf32>
  %d = stablehlo.subtract %x, %mb : tensor<64x96xf32>
  %e = stablehlo.exponential %d : tensor<64x96xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x96xf32>, tensor<f32>) -> tensor<64xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<64xf32>) -> tensor<64x96xf32>
  %p = stablehlo.divide %e, %tb : tensor<64x96xf32>
  return %p : tensor<64x96xf32>
}
//| %0 = input 0, 24576 bytes  // parameter 0 f32[64,96]
//| %8 = result 0, 24576 bytes  // fused f32[6144]
//| {
//|   rows(3 members, 3 values in scratch) %0[0 : 24576], %0[0 : 24576] -> %8[0 : 24576]  // 3 loops over 64 rows of 96
//| }
