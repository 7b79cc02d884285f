// test collectives
// test equal devices=8
// The only dim is sorted and split over 8: each device sends its piece six times, and not the other seven once. Equal numbers
// are the same to the last bit, so nothing else travels.
module {
  sdy.mesh @m = <["x"=8]>
  func.func public @main(%a: tensor<64xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<64xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %1 = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<64xi32>) -> tensor<64xi32>
    return %0 : tensor<64xi32>
  }
}
//| --- collectives
//| 6 permute: 192 bytes
//| 0 flops in contractions
//| --- equal devices=8
