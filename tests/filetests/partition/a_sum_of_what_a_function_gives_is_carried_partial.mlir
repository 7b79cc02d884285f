// test collectives
// test equal
// What a function gives is a partial sum over the rows; the loop adds it up, and one all-reduce follows, not one each trip.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<4x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> (tensor<16x16xf32>, tensor<8x16xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<16x16xf32>
    %i = stablehlo.constant dense<0> : tensor<i32>
    %n = stablehlo.constant dense<4> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %rows = stablehlo.constant dense<0.0> : tensor<8x16xf32>
    %0:3 = stablehlo.while(%at = %i, %sum = %zero, %last = %rows) : tensor<i32>, tensor<16x16xf32>, tensor<8x16xf32>
    cond {
      %1 = stablehlo.compare LT, %at, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.dynamic_slice %a, %at, %i, %i, sizes = [1, 8, 16] : (tensor<4x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16xf32>
      %2 = stablehlo.reshape %1 : (tensor<1x8x16xf32>) -> tensor<8x16xf32>
      %3:2 = func.call @gram(%2) : (tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<16x16xf32>)
      %4 = stablehlo.add %sum, %3#1 : tensor<16x16xf32>
      %5 = stablehlo.add %at, %one : tensor<i32>
      stablehlo.return %5, %4, %3#0 : tensor<i32>, tensor<16x16xf32>, tensor<8x16xf32>
    }
    return %0#1, %0#2 : tensor<16x16xf32>, tensor<8x16xf32>
  }
  func.func private @gram(%a: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<16x16xf32>) {
    %0 = stablehlo.tanh %a : tensor<8x16xf32>
    %1 = stablehlo.dot_general %0, %a, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
    return %0, %1 : tensor<8x16xf32>, tensor<16x16xf32>
  }
}
//| --- collectives
//| 1 all-reduce over {"x"}: 1024 bytes
//| 8192 flops in contractions
//| --- equal
//| seed 0: result 0 differs: a difference within rounding
