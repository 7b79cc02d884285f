// test run
// `rng` draws new numbers each time it runs: no two of four rounds are alike, nor is what is drawn behind the loop.
module @rng {
  func.func public @main() -> (tensor<4xi1>, tensor<i1>) {
    %low = stablehlo.constant dense<0.0> : tensor<f32>
    %high = stablehlo.constant dense<1.0> : tensor<f32>
    %shape = stablehlo.constant dense<4> : tensor<1xi64>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %four = stablehlo.constant dense<4> : tensor<i32>
    %last = stablehlo.constant dense<0.0> : tensor<4xf32>
    %none = stablehlo.constant dense<false> : tensor<4xi1>
    %first = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
    %r:4 = stablehlo.while(%i = %zero, %before = %first, %same = %none, %start = %last) : tensor<i32>, tensor<4xf32>, tensor<4xi1>, tensor<4xf32>
    cond {
      %go = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %x = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
      %e = stablehlo.compare EQ, %x, %before : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %s = stablehlo.or %same, %e : tensor<4xi1>
      %n = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %n, %x, %s, %x : tensor<i32>, tensor<4xf32>, tensor<4xi1>, tensor<4xf32>
    }
    %y = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
    %f = stablehlo.compare EQ, %y, %r#1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %k = stablehlo.constant dense<false> : tensor<i1>
    %t = stablehlo.reduce(%f init: %k) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
    return %r#2, %t : tensor<4xi1>, tensor<i1>
  }
}
//| 0: pred[4] [false, false, false, false]
//| 1: pred[] false
