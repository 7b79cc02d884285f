// test collectives
// test collectives memory-limit=1550
// test equal devices=4 memory-limit=1550
// Over 4 devices, fetching the other pieces sends least; a limit that the whole line exceeds makes neighbours merge theirs.
// Equal keys (zeros of both signs are) stay in order by where they stand: nothing but the keys travels.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<400xf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<400xf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f16>, %y: tensor<f16>):
      %1 = stablehlo.compare LT, %x, %y : (tensor<f16>, tensor<f16>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<400xf16>) -> tensor<400xf16>
    return %0 : tensor<400xf16>
  }
}
//| --- collectives
//| 1 all-gather over {"x"}: 600 bytes
//| 0 flops in contractions
//| --- collectives memory-limit=1550
//| 4 permute: 800 bytes
//| 0 flops in contractions
//| --- equal devices=4 memory-limit=1550
