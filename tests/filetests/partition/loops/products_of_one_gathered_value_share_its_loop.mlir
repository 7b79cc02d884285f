// test collectives loops=one-way
// test collectives loops=both-ways,unrolled
// test equal devices=4 loops=one-way
// test equal devices=4 loops=both-ways,unrolled
// Queries, keys and values are products of the same activations. Each piece of these travels once, and is multiplied by three
// weights while the next is on its way.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %q: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %k: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %v: tensor<8x20xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, tensor<16x20xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) {
    %0 = stablehlo.dot_general %x, %q, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x12xf32>) -> tensor<16x12xf32>
    %1 = stablehlo.negate %0 : tensor<16x12xf32>
    %2 = stablehlo.dot_general %x, %k, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x12xf32>) -> tensor<16x12xf32>
    %3 = stablehlo.add %1, %2 : tensor<16x12xf32>
    %4 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x20xf32>) -> tensor<16x20xf32>
    return %3, %4 : tensor<16x12xf32>, tensor<16x20xf32>
  }
}
//| --- collectives loops=one-way
//| 3 permute: 384 bytes
//| 2816 flops in contractions
//| --- collectives loops=both-ways,unrolled
//| 3 permute: 384 bytes
//| 2816 flops in contractions
//| --- equal devices=4 loops=one-way
//| --- equal devices=4 loops=both-ways,unrolled
