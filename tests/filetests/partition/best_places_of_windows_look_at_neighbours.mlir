// test collectives
// test equal devices=4
// The best of every window with its place: two values that no plain reducer joins. Windows stay inside, so a halo is all that
// they need; the last of 29 places of 32 are nobody's.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<32x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<29x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<29x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %least = stablehlo.constant dense<-100.0> : tensor<f32>
    %none = stablehlo.constant dense<-1> : tensor<i32>
    %places = stablehlo.iota dim = 0 : tensor<32x3xi32>
    %0:2 = "stablehlo.reduce_window"(%a, %places, %least, %none) <{window_dimensions = array<i64: 4, 1>}> ({
    ^bb0(%x: tensor<f32>, %i: tensor<i32>, %y: tensor<f32>, %j: tensor<i32>):
      %1 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %2 = stablehlo.select %1, %x, %y : tensor<i1>, tensor<f32>
      %3 = stablehlo.select %1, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
    }) : (tensor<32x3xf32>, tensor<32x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<29x3xf32>, tensor<29x3xi32>)
    return %0#0, %0#1 : tensor<29x3xf32>, tensor<29x3xi32>
  }
}
//| --- collectives
//| 2 permute: 72 bytes
//| 0 flops in contractions
//| --- equal devices=4
