// test cpu-steps place_carries
// test run seeds=2
// The new value is read together with the old one by a product at the end of each turn: the old one has to stay.
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
      %q = stablehlo.dot_general %n, %c, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %r = stablehlo.reshape %q : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
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
//| %7 = arena, 64 bytes  // while s32[]
//| %8 = arena, 64 bytes  // dot_general f32[4,4]
//| %9 = arena, 64 bytes, in %7  // fused f32[16]
//| %11 = arena, 64 bytes  // dot_general f32[4,4]
//| %12 = arena, 64 bytes  // fused f32[16]
//| %13 = arena, 64 bytes  // dot_general f32[4,4]
//| %14 = arena, 192 bytes, in %6  // dynamic_update_slice f32[3,4,4]
//| %15 = arena, 4 bytes, in %3  // fused s32[1]
//| {
//|   fill -> %2[0 : 4]  // while s32[]
//|   copy %2[0 : 4] -> %3[0 : 4]  // while s32[]
//|   copy %0[0 : 64] -> %4[0 : 64]  // while s32[]
//|   fill -> %5[0 : 4]  // while s32[]
//|   copy %5[0 : 4] -> %6[0 : 192]  // while s32[]
//|   loop c0 < 3 {  // while s32[]
//|     copy %4[0 : 64] -> %7[0 : 64]  // while s32[]
//|     loop c1 < 1 {  // while s32[]
//|       dot(1x[4x4x4]) %7[0 : 64], %1[0 : 64] -> %8[0 : 64]  // dot_general f32[4,4]
//|       fused(1 ops, 3 tiles) %7[0 : 64], %8[0 : 64] -> %9[0 : 64] over %7  // fused of 1 ops [16]
//|       rename %9 -> %7  // add s32[]
//|     }
//|     dot(1x[4x4x4]) %7[0 : 64], %1[0 : 64] -> %11[0 : 64]  // dot_general f32[4,4]
//|     fused(1 ops, 2 tiles) %11[0 : 64] -> %12[0 : 64]  // fused of 1 ops [16]
//|     dot(1x[4x4x4]) %12[0 : 64], %4[0 : 64] -> %13[0 : 64]  // dot_general f32[4,4]
//|     rename %6 -> %14  // dynamic_update_slice f32[3,4,4]
//|     copy %3, %13[0 : 64] -> %14[?]  // dynamic_update_slice f32[3,4,4]
//|     fused(1 ops, 3 tiles) %3[0 : 4] -> %15[0 : 4] over %3  // fused of 1 ops [1]
//|     rename %15 -> %3  // add s32[]
//|     copy %12[0 : 64] -> %4[0 : 64]  // add s32[]
//|     rename %14 -> %6  // add s32[]
//|   }
//| }
//| --- run seeds=2
//| seed 0
//| 0: f32[4,4] [[30160.0, -15904.0, 13200.0, 37392.0], [5848.0, 2576.0, 3464.0, -4224.0], [696.0, -7344.0, -792.0, 15040.0], [-34944.0, 2112.0, -17792.0, -10048.0]]
//| 1: f32[3,4,4] [[[-300.0, -436.0, -280.0, 366.0], [42.0, -34.0, -46.0, 46.0], [-126.0, -82.0, -22.0, 46.0], [84.0, 292.0, 268.0, -308.0]], [[359568.0, -29088.0, 201904.0, 137568.0], [-38264.0, 13184.0, -19272.0, -36704.0], [140664.0, -23904.0, 76232.0, 81184.0], [-109888.0, -20672.0, -68224.0, 22432.0]], [[-76777920.0, 444800.0, -39856960.0, -13320960.0], [-12333024.0, -7956928.0, -7452832.0, 14386432.0], [-4941408.0, 9944384.0, -1267744.0, -21268736.0], [81468670.0, 22787584.0, 45335296.0, -33744896.0]]]
//| seed 1
//| 0: f32[4,4] [[-1656.0, -7420.0, 3508.0, -10564.0], [-2320.0, -2760.0, 600.0, -1720.0], [-1680.0, 1620.0, -220.0, 3380.0], [1496.0, -320.0, -288.0, -1256.0]]
//| 1: f32[3,4,4] [[[-169.0, 167.0, 158.0, -37.0], [-74.0, 126.0, 140.0, 30.0], [-57.0, 83.0, 0.0, 5.0], [68.0, -88.0, -18.0, 2.0]], [[36476.0, 18558.0, 4222.0, -8022.0], [17320.0, 18740.0, 5940.0, 2300.0], [3500.0, 11690.0, 2250.0, 8070.0], [-7296.0, -11268.0, -2212.0, -5188.0]], [[858128.0, -1907480.0, 1542792.0, -4495592.0], [1727200.0, -1739600.0, 953200.0, -4391600.0], [1074640.0, -970600.0, 106360.0, -2072760.0], [-925568.0, 984880.0, -273552.0, 2147952.0]]]
