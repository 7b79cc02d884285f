// test cpu-steps drop_unread
// Of three values that the loop could store, one is read.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %x : tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  %2 = stablehlo.sqrt %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}
//| %0 = input 0, 16 bytes  // parameter 0 f32[4]
//| %2 = result 0, 16 bytes  // fused f32[4]
//| {
//|   fused(2 ops, 3 tiles) %0[0 : 16] -> %2[0 : 16]  // fused of 2 ops [4]
//| }
