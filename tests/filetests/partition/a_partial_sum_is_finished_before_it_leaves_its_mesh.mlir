// test collectives
// test equal seeds=2
// A product that is partial over an axis of one mesh, wanted on another whose axes are none of its: reduced where it is, then
// moved in pieces.
module {
  sdy.mesh @a = <["x"=4, "y"=9]>
  sdy.mesh @b = <["u"=6, "v"=6]>
  func.func public @main(%a: tensor<36x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"y"}, {"x"}]>}, %w: tensor<8x36xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {}]>}) -> (tensor<36x36xf32> {sdy.sharding = #sdy.sharding<@b, [{"u"}, {"v"}]>}) {
    %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@a, [{"y"}, {}]>]>} : (tensor<36x8xf32>, tensor<8x36xf32>) -> tensor<36x36xf32>
    return %0 : tensor<36x36xf32>
  }
}
//| --- collectives
//| 1 all-reduce over {"x"}: 864 bytes
//| 1 all-to-all over {"v":(2)3}: 192 bytes
//| 2 permute: 720 bytes
//| 576 flops in contractions
//| --- equal seeds=2
