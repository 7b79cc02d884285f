// test collectives
// test equal
// Each trip makes the product anew, and the last one is used: it is reduced once, not in each trip. So is a sum of the
// products that an inner loop of one trip gives.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<4x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<16x16xf32>
    %i = stablehlo.constant dense<0> : tensor<i32>
    %n = stablehlo.constant dense<4> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0:3 = stablehlo.while(%at = %i, %last = %zero, %sum = %zero) : tensor<i32>, tensor<16x16xf32>, tensor<16x16xf32>
    cond {
      %1 = stablehlo.compare LT, %at, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.dynamic_slice %a, %at, %i, %i, sizes = [1, 8, 16] : (tensor<4x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16xf32>
      %2 = stablehlo.reshape %1 : (tensor<1x8x16xf32>) -> tensor<8x16xf32>
      %3 = stablehlo.tanh %2 : tensor<8x16xf32>
      %4 = stablehlo.dot_general %3, %2, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
      %5:2 = stablehlo.while(%trip = %i, %product = %zero) : tensor<i32>, tensor<16x16xf32>
      cond {
        %8 = stablehlo.compare LT, %trip, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %8 : tensor<i1>
      } do {
        %8 = stablehlo.dot_general %3, %3, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
        %9 = stablehlo.add %trip, %one : tensor<i32>
        stablehlo.return %9, %8 : tensor<i32>, tensor<16x16xf32>
      }
      %6 = stablehlo.add %sum, %5#1 : tensor<16x16xf32>
      %7 = stablehlo.add %at, %one : tensor<i32>
      stablehlo.return %7, %4, %6 : tensor<i32>, tensor<16x16xf32>, tensor<16x16xf32>
    }
    return %0#1, %0#2 : tensor<16x16xf32>, tensor<16x16xf32>
  }
}
//| --- collectives
//| 1 all-reduce over {"x"}: 2048 bytes
//| 16384 flops in contractions
//| --- equal
//| seed 0: result 0 differs: a difference within rounding
//| seed 0: result 1 differs: a difference within rounding
