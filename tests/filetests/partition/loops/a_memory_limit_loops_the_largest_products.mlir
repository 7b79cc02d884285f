// test collectives
// test collectives memory-limit=160000
// test equal memory-limit=160000
// The first product puts its weight together, 16 kB a piece: within the limit there is room for two of them.
module {
  sdy.mesh @m = <["x"=8]>
  func.func public @main(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<64x512xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %c: tensor<512x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %h = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
    %c1 = sdy.sharding_constraint %h <@m, [{"x"}, {}]> : tensor<64x512xf32>
    %r = stablehlo.negate %c1 : tensor<64x512xf32>
    %y = stablehlo.dot_general %r, %c, contracting_dims = [1] x [0] : (tensor<64x512xf32>, tensor<512x64xf32>) -> tensor<64x64xf32>
    return %y : tensor<64x64xf32>
  }
}
//| --- collectives
//| 1 all-gather over {"x"}: 114688 bytes
//| 1 reduce-scatter over {"x"}: 14336 bytes
//| 1 all-to-all over {"x"}: 14336 bytes
//| 1048576 flops in contractions
//| --- collectives memory-limit=160000
//| 1 reduce-scatter over {"x"}: 14336 bytes
//| 1 all-to-all over {"x"}: 14336 bytes
//| 7 permute: 114688 bytes
//| 1048576 flops in contractions
//| --- equal memory-limit=160000
