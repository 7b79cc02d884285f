// test equal seeds=3
// GShard 3.3: [3,2] over 2 becomes [6] over 2; shard boundaries move.
module {
  sdy.mesh @m = <["x"=2]>
  func.func public @main(%a: tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    %0 = stablehlo.reshape %a : (tensor<3x2xf32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
