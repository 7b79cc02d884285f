// test cpu-steps place_carries
// test run seeds=2
// What each turn begins with is kept in a stack at its end, and an inner loop works on a copy of it. The row of the stack is written first, and the inner loop and the next turn have the carry to themselves: nothing else is copied.
func.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<3x4x4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %empty = stablehlo.constant dense<0.0> : tensor<3x4x4xf32>
  %0:3 = stablehlo.while(%i = %zero, %c = %x, %s = %empty) : tensor<i32>, tensor<4x4xf32>, tensor<3x4x4xf32>
    cond {
      %go = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %1:2 = stablehlo.while(%j = %zero, %d = %c) : tensor<i32>, tensor<4x4xf32>
        cond {
          %on = stablehlo.compare LT, %j, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %on : tensor<i1>
        } do {
          %p = stablehlo.dot_general %d, %w, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
          %e = stablehlo.add %d, %p : tensor<4x4xf32>
          %k = stablehlo.add %j, %one : tensor<i32>
          stablehlo.return %k, %e : tensor<i32>, tensor<4x4xf32>
        }
      %m = stablehlo.dot_general %1#1, %w, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %n = stablehlo.negate %m : tensor<4x4xf32>
      %r = stablehlo.reshape %c : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
      %u = stablehlo.dynamic_update_slice %s, %r, %i, %zero, %zero : (tensor<3x4x4xf32>, tensor<1x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x4xf32>
      %l = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %l, %n, %u : tensor<i32>, tensor<4x4xf32>, tensor<3x4x4xf32>
    }
  return %0#1, %0#2 : tensor<4x4xf32>, tensor<3x4x4xf32>
}
//| --- cpu-steps place_carries
//| %0 = input 0, 64 bytes  // parameter 0 f32[4,4]
//| %1 = input 1, 64 bytes  // parameter 1 f32[4,4]
//| %2 = arena, 4 bytes  // while s32[]
//| %3 = arena, 4 bytes  // while s32[]
//| %4 = result 0, 64 bytes  // while s32[]
//| %5 = arena, 4 bytes  // while s32[]
//| %6 = result 1, 192 bytes  // while s32[]
//| %7 = arena, 64 bytes, in %4  // while s32[]
//| %8 = arena, 64 bytes  // dot_general f32[4,4]
//| %9 = arena, 64 bytes, in %4  // fused f32[16]
//| %11 = arena, 64 bytes  // dot_general f32[4,4]
//| %12 = arena, 64 bytes, in %4  // fused f32[16]
//| %13 = arena, 192 bytes, in %6  // dynamic_update_slice f32[3,4,4]
//| %14 = arena, 4 bytes, in %3  // fused s32[1]
//| {
//|   fill -> %2[0 : 4]  // while s32[]
//|   copy %2[0 : 4] -> %3[0 : 4]  // while s32[]
//|   copy %0[0 : 64] -> %4[0 : 64]  // while s32[]
//|   fill -> %5[0 : 4]  // while s32[]
//|   copy %5[0 : 4] -> %6[0 : 192]  // while s32[]
//|   loop c0 < 3 {  // while s32[]
//|     rename %6 -> %13  // dynamic_update_slice f32[3,4,4]
//|     copy %3, %4[0 : 64] -> %13[?]  // dynamic_update_slice f32[3,4,4]
//|     rename %4 -> %7  // while s32[]
//|     loop c1 < 1 {  // while s32[]
//|       dot(1x[4x4x4]) %7[0 : 64], %1[0 : 64] -> %8[0 : 64]  // dot_general f32[4,4]
//|       fused(1 ops, 3 tiles) %7[0 : 64], %8[0 : 64] -> %9[0 : 64] over %7  // fused of 1 ops [16]
//|       rename %9 -> %7  // add s32[]
//|     }
//|     dot(1x[4x4x4]) %7[0 : 64], %1[0 : 64] -> %11[0 : 64]  // dot_general f32[4,4]
//|     fused(1 ops, 2 tiles) %11[0 : 64] -> %12[0 : 64]  // fused of 1 ops [16]
//|     fused(1 ops, 3 tiles) %3[0 : 4] -> %14[0 : 4] over %3  // fused of 1 ops [1]
//|     rename %14 -> %3  // add s32[]
//|     rename %12 -> %4  // add s32[]
//|     rename %13 -> %6  // add s32[]
//|   }
//| }
//| --- run seeds=2
//| seed 0
//| 0: f32[4,4] [[30160.0, -15904.0, 13200.0, 37392.0], [5848.0, 2576.0, 3464.0, -4224.0], [696.0, -7344.0, -792.0, 15040.0], [-34944.0, 2112.0, -17792.0, -10048.0]]
//| 1: f32[3,4,4] [[[1.0, 2.0, 3.0, -3.0], [1.0, -3.0, 1.0, 0.0], [0.0, 3.0, 0.0, -1.0], [3.0, -1.0, -1.0, 1.0]], [[-122.0, 20.0, -66.0, -66.0], [-8.0, -4.0, -4.0, 18.0], [-24.0, 12.0, -12.0, -38.0], [84.0, 12.0, 52.0, -4.0]], [[-1784.0, -784.0, -1032.0, 1320.0], [412.0, -72.0, 196.0, 192.0], [-972.0, -120.0, -516.0, 104.0], [-96.0, 656.0, 32.0, -1376.0]]]
//| seed 1
//| 0: f32[4,4] [[-1656.0, -7420.0, 3508.0, -10564.0], [-2320.0, -2760.0, 600.0, -1720.0], [-1680.0, 1620.0, -220.0, 3380.0], [1496.0, -320.0, -288.0, -1256.0]]
//| 1: f32[3,4,4] [[[3.0, -2.0, 1.0, 2.0], [2.0, -3.0, -3.0, -1.0], [0.0, -2.0, -1.0, -1.0], [-1.0, 2.0, 0.0, 1.0]], [[-30.0, -61.0, -5.0, -43.0], [-4.0, -42.0, -18.0, -22.0], [-12.0, -1.0, -9.0, 19.0], [14.0, 8.0, 8.0, -10.0]], [[-564.0, 650.0, -206.0, 1406.0], [-280.0, 60.0, -180.0, 500.0], [-120.0, -110.0, 10.0, -30.0], [164.0, -0.0, 16.0, -156.0]]]
