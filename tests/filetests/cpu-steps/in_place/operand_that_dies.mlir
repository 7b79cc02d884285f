// test cpu-steps in_place
// The exponential is made in the place of the product.
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %b = stablehlo.exponential %a : tensor<8x8xf32>
  return %b : tensor<8x8xf32>
}
//| %0 = input 0, 256 bytes  // parameter 0 f32[8,8]
//| %1 = arena, 256 bytes, in %2  // dot_general f32[8,8]
//| %2 = result 0, 256 bytes  // fused f32[64]
//| {
//|   dot(1x[8x8x8]) %0[0 : 256], %0[0 : 256] -> %1[0 : 256]  // dot_general f32[8,8]
//|   fused(1 ops, 2 tiles) %1[0 : 256] -> %2[0 : 256] over %1  // fused of 1 ops [64]
//| }
