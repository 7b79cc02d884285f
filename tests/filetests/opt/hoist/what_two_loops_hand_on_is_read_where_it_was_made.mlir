// test opt hoist
// Neither loop changes its weights or its bound: both read what they were given, the outer one's condition too.
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%a: tensor<4xf32>, %w: tensor<4xf32>, %bound: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0:4 = stablehlo.while(%i = %zero, %s = %a, %v = %w, %n = %bound) : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>
    cond {
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %2:3 = stablehlo.while(%j = %zero, %x = %v, %t = %s) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
      cond {
        %3 = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %3 : tensor<i1>
      } do {
        %4 = stablehlo.add %j, %one : tensor<i32>
        %5 = stablehlo.add %t, %x : tensor<4xf32>
        stablehlo.return %4, %x, %5 : tensor<i32>, tensor<4xf32>, tensor<4xf32>
      }
      %6 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %6, %2#2, %2#1, %n : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>
    }
    return %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>
  }
}
//| module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
//|   func.func public @main(%a: tensor<4xf32>, %w: tensor<4xf32>, %bound: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
//|     %zero = stablehlo.constant dense<0> : tensor<i32>
//|     %one = stablehlo.constant dense<1> : tensor<i32>
//|     %0:2 = stablehlo.while(%i = %zero, %s = %a) : tensor<i32>, tensor<4xf32>
//|     cond {
//|       %1 = stablehlo.compare LT, %i, %bound : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|       stablehlo.return %1 : tensor<i1>
//|     } do {
//|       %2:2 = stablehlo.while(%j = %zero, %t = %s) : tensor<i32>, tensor<4xf32>
//|       cond {
//|         %3 = stablehlo.compare LT, %j, %bound : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|         stablehlo.return %3 : tensor<i1>
//|       } do {
//|         %4 = stablehlo.add %j, %one : tensor<i32>
//|         %5 = stablehlo.add %t, %w : tensor<4xf32>
//|         stablehlo.return %4, %5 : tensor<i32>, tensor<4xf32>
//|       }
//|       %6 = stablehlo.add %i, %one : tensor<i32>
//|       stablehlo.return %6, %2#1 : tensor<i32>, tensor<4xf32>
//|     }
//|     return %0#1, %w : tensor<4xf32>, tensor<4xf32>
//|   }
//| }
