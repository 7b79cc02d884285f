// test cpu-steps in_place
// The first two arms hand on what the third makes anew: in the second, the loop's copy has a place of its own.
func.func @main(%x: tensor<4xf32>, %i: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %v = stablehlo.negate %x : tensor<4xf32>
  %r:2 = "stablehlo.case"(%i) ({
    stablehlo.return %v, %x : tensor<4xf32>, tensor<4xf32>
  }, {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %w:2 = stablehlo.while(%n = %zero, %p = %v) : tensor<i32>, tensor<4xf32>
    cond {
      %two = stablehlo.constant dense<2> : tensor<i32>
      %more = stablehlo.compare LT, %n, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %n, %one : tensor<i32>
      %q = stablehlo.exponential %p : tensor<4xf32>
      stablehlo.return %next, %q : tensor<i32>, tensor<4xf32>
    }
    stablehlo.return %v, %w#1 : tensor<4xf32>, tensor<4xf32>
  }, {
    %t = stablehlo.tanh %v : tensor<4xf32>
    stablehlo.return %t, %x : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
//| %0 = input 0, 16 bytes  // parameter 0 f32[4]
//| %1 = input 1, 4 bytes  // parameter 1 s32[]
//| %2 = arena, 16 bytes, in %3  // fused f32[4]
//| %3 = result 0, 16 bytes  // case f32[4]
//| %4 = result 1, 16 bytes  // case f32[4]
//| %5 = arena, 16 bytes, in %4  // while s32[]
//| %7 = arena, 16 bytes, in %4  // fused f32[4]
//| %8 = arena, 16 bytes, in %3  // fused f32[4]
//| {
//|   fused(1 ops, 2 tiles) %0[0 : 16] -> %2[0 : 16]  // fused of 1 ops [4]
//|   switch %1 {  // case f32[4]
//|     rename %2 -> %3  // case f32[4]
//|     copy %0[0 : 16] -> %4[0 : 16]  // case f32[4]
//|   } {
//|     copy %2[0 : 16] -> %5[0 : 16]  // while s32[]
//|     loop c0 < 2 {  // while s32[]
//|       fused(1 ops, 2 tiles) %5[0 : 16] -> %7[0 : 16] over %5  // fused of 1 ops [4]
//|       rename %7 -> %5  // exponential f32[4]
//|     }
//|     rename %2 -> %3  // exponential f32[4]
//|     rename %5 -> %4  // exponential f32[4]
//|   } {
//|     fused(1 ops, 2 tiles) %2[0 : 16] -> %8[0 : 16] over %2  // fused of 1 ops [4]
//|     rename %8 -> %3  // tanh f32[4]
//|     copy %0[0 : 16] -> %4[0 : 16]  // tanh f32[4]
//|   }
//| }
