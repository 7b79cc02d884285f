// test cpu-steps place_carries
// One row of the carry is written in each turn; nothing is copied.
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8xf32>, %n: tensor<i32>) -> tensor<8x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%c = %x, %i = %zero) : tensor<8x8xf32>, tensor<i32>
    cond {
      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %r = stablehlo.reshape %y : (tensor<8xf32>) -> tensor<1x8xf32>
      %t = stablehlo.dynamic_update_slice %c, %r, %i, %zero : (tensor<8x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %t, %j : tensor<8x8xf32>, tensor<i32>
    }
  return %0#0 : tensor<8x8xf32>
}
//| %0 = input 0, 256 bytes  // parameter 0 f32[8,8]
//| %1 = input 1, 32 bytes  // parameter 1 f32[8]
//| %2 = input 2, 4 bytes  // parameter 2 s32[]
//| %3 = result 0, 256 bytes  // while f32[8,8]
//| %4 = arena, 4 bytes  // while f32[8,8]
//| %5 = arena, 4 bytes  // while f32[8,8]
//| %6 = arena, 1 bytes  // fused pred[1]
//| %7 = arena, 256 bytes, in %3  // dynamic_update_slice f32[8,8]
//| %8 = arena, 4 bytes, in %5  // fused s32[1]
//| {
//|   copy %0[0 : 256] -> %3[0 : 256]  // while f32[8,8]
//|   fill -> %4[0 : 4]  // while f32[8,8]
//|   copy %4[0 : 4] -> %5[0 : 4]  // while f32[8,8]
//|   while {  // while f32[8,8]
//|     fused(1 ops, 3 tiles) %5[0 : 4], %2[0 : 4] -> %6[0 : 1]  // fused of 1 ops [1]
//|   } %6 {
//|     rename %3 -> %7  // dynamic_update_slice f32[8,8]
//|     copy %5, %1[0 : 32] -> %7[?]  // dynamic_update_slice f32[8,8]
//|     fused(1 ops, 3 tiles) %5[0 : 4] -> %8[0 : 4] over %5  // fused of 1 ops [1]
//|     rename %7 -> %3  // add s32[]
//|     rename %8 -> %5  // add s32[]
//|   }
//| }
