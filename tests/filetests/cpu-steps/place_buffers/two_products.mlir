// test cpu-steps place_buffers
// The first product has the arena; the second one is a result.
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %b = stablehlo.dot_general %a, %y, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %b : tensor<8x8xf32>
}
//| %0 = input 0, 256 bytes  // parameter 0 f32[8,8]
//| %1 = input 1, 256 bytes  // parameter 1 f32[8,8]
//| %2 = arena, 256 bytes, at 0, alive 0 to 1  // dot_general f32[8,8]
//| %3 = result 0, 256 bytes  // dot_general f32[8,8]
//| {
//|   dot(1x[8x8x8]) %0[0 : 256], %1[0 : 256] -> %2[0 : 256]  // 0: dot_general f32[8,8]
//|   dot(1x[8x8x8]) %2[0 : 256], %1[0 : 256] -> %3[0 : 256]  // 1: dot_general f32[8,8]
//| }
