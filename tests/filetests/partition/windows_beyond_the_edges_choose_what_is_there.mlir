// test collectives
// test equal devices=4 seeds=3
// The gradient of a pooling with padding: windows of 3 by steps of 2 begin one row before the first. What is not there is never
// chosen, whatever the comparison, so devices choose over values, places and whether they are there.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %slope: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.select_and_scatter"(%a, %slope, %zero) <{padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.compare LE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }, {
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<32x8xf32>, tensor<16x8xf32>, tensor<f32>) -> tensor<32x8xf32>
    return %0 : tensor<32x8xf32>
  }
}
//| --- collectives
//| 3 permute: 128 bytes
//| 0 flops in contractions
//| --- equal devices=4 seeds=3
