// test collectives
// test equal devices=16
// Both dims are split and neither can take more: the lines are merged over the 8 devices that share them.
module {
  sdy.mesh @m = <["x"=2, "y"=8]>
  func.func public @main(%a: tensor<2x40xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<2x40xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
    %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %1 = stablehlo.compare GT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<2x40xi32>) -> tensor<2x40xi32>
    return %0 : tensor<2x40xi32>
  }
}
//| --- collectives
//| 6 permute: 120 bytes
//| 0 flops in contractions
//| --- equal devices=16
