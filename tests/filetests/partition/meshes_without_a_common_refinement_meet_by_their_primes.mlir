// test collectives
// test equal seeds=2
// 36 devices as 4 by 9 and as 6 by 6: no axis of one is made of axes of the other. One permute into the other mesh, and its
// own steps from there; nobody ever has more than a piece.
module {
  sdy.mesh @a = <["x"=4, "y"=9]>
  sdy.mesh @b = <["u"=6, "v"=6]>
  func.func public @main(%a: tensor<36x72xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {"y"}]>}) -> (tensor<36x72xf32> {sdy.sharding = #sdy.sharding<@b, [{"u"}, {"v"}]>}) {
    %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@a, [{"x"}, {"y"}]>]>} : tensor<36x72xf32>
    return %0 : tensor<36x72xf32>
  }
}
//| --- collectives
//| 1 all-to-all over {"u":(2)3}: 192 bytes
//| 1 all-to-all over {"v":(1)2}: 144 bytes
//| 3 permute: 864 bytes
//| 0 flops in contractions
//| --- equal seeds=2
