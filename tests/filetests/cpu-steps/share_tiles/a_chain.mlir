// test cpu-steps share_tiles
// Values between operand and result take turns in two tiles.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %x : tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  %2 = stablehlo.sqrt %1 : tensor<4xf32>
  %3 = stablehlo.tanh %2 : tensor<4xf32>
  %4 = stablehlo.negate %3 : tensor<4xf32>
  return %4 : tensor<4xf32>
}
//| %0 = input 0, 16 bytes  // parameter 0 f32[4]
//| %5 = result 0, 16 bytes  // fused f32[4]
//| {
//|   fused(5 ops, 4 tiles) %0[0 : 16] -> %5[0 : 16]  // fused of 5 ops [4]
//| }
