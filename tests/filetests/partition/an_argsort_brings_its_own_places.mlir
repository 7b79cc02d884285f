// test collectives
// test equal devices=8
// 61 keys with their places, over 8: what is padding sorts behind everything, and the places keep equal keys in order.
module {
  sdy.mesh @m = <["x"=8]>
  func.func public @main(%a: tensor<61xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<61xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<61xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    %places = stablehlo.iota dim = 0 : tensor<61xi32>
    %0:2 = "stablehlo.sort"(%a, %places) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
      %1 = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<61xf32>, tensor<61xi32>) -> (tensor<61xf32>, tensor<61xi32>)
    return %0#0, %0#1 : tensor<61xf32>, tensor<61xi32>
  }
}
//| --- collectives
//| 12 permute: 384 bytes
//| 0 flops in contractions
//| --- equal devices=8
