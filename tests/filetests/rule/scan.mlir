// test rule Scan
// No factors: what is stacked and what is carried pass along the edges into the body.
func.func public @main(%xs: tensor<5x4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = stablehlo.while(%all = %xs, %i = %i0, %s = %h) : tensor<5x4xf32>, tensor<i32>, tensor<4xf32>
  cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %row = stablehlo.dynamic_slice %all, %i, %z, sizes = [1, 4] : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %x = stablehlo.reshape %row : (tensor<1x4xf32>) -> tensor<4xf32>
    %t = stablehlo.add %s, %x : tensor<4xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %all, %next, %t : tensor<5x4xf32>, tensor<i32>, tensor<4xf32>
  }
  return %r#2 : tensor<4xf32>
}
//| %22 = scan: ([1], [1, 1])->([1]) {}
//| %t = add: ([i], [i])->([i]) {i=4}
