// test partition
// test equal
// What begins before the program and ends behind it: a token is carried through, here through a loop too.
module @ordered {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%t: !stablehlo.token, %x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (!stablehlo.token, tensor<4xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %end = stablehlo.constant dense<3> : tensor<i32>
    %loop:3 = stablehlo.while(%i = %zero, %a = %t, %y = %x) : tensor<i32>, !stablehlo.token, tensor<4xf32>
    cond {
      %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %b = stablehlo.after_all %a : !stablehlo.token
      %z = stablehlo.add %y, %y : tensor<4xf32>
      stablehlo.return %next, %b, %z : tensor<i32>, !stablehlo.token, tensor<4xf32>
    }
    return %loop#1, %loop#2 : !stablehlo.token, tensor<4xf32>
  }
}
//| --- partition
//| module @ordered attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @mesh = <["x"=2]>
//|   func.func public @main(%t: !stablehlo.token, %x: tensor<2xf32>) -> (!stablehlo.token, tensor<2xf32>) {
//|     %zero = stablehlo.constant dense<0> : tensor<i32>
//|     %end = stablehlo.constant dense<3> : tensor<i32>
//|     %loop:3 = stablehlo.while(%i = %zero, %a = %t, %y = %x) : tensor<i32>, !stablehlo.token, tensor<2xf32>
//|     cond {
//|       %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|       stablehlo.return %more : tensor<i1>
//|     } do {
//|       %one = stablehlo.constant dense<1> : tensor<i32>
//|       %next = stablehlo.add %i, %one : tensor<i32>
//|       %b = stablehlo.after_all %a : !stablehlo.token
//|       %z = stablehlo.add %y, %y : tensor<2xf32>
//|       stablehlo.return %next, %b, %z : tensor<i32>, !stablehlo.token, tensor<2xf32>
//|     }
//|     return %loop#1, %loop#2 : !stablehlo.token, tensor<2xf32>
//|   }
//| }
//| --- equal
