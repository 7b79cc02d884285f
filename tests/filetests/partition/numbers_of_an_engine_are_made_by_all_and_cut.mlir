// test collectives
// test equal devices=4
// `rng` has no state that could be moved on: every device makes all numbers and keeps its rows. Nothing is sent.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<f32>) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %b = stablehlo.constant dense<1.0> : tensor<f32>
    %s = stablehlo.constant dense<[8, 6]> : tensor<2xi64>
    %0 = stablehlo.rng %b, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<8x6xf32>
    return %0 : tensor<8x6xf32>
  }
}
//| --- collectives
//| 0 flops in contractions
//| --- equal devices=4
