// test equal loops=one-way seeds=3
// test equal loops=both-ways seeds=3
// test equal loops=unrolled seeds=3
// A dim over two axes of a mesh in an order of its own; the third axis splits batches on both sides.
module {
  sdy.mesh @m = <["x"=2, "b"=2, "y"=3], device_ids=[3, 1, 4, 0, 5, 9, 2, 6, 8, 7, 11, 10]>
  func.func public @main(%a: tensor<2x12x4xf64> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {"y", "x"}, {}]>}, %b: tensor<2x4x18xf64> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}, {"y", "x"}]>}, %u: tensor<2x4x18xi32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}, {"x", "y"}]>}, %v: tensor<2x18x12xi32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {"x", "y"}, {}]>}) -> (tensor<2x12x18xf64> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {"y", "x"}, {}]>}, tensor<2x4x12xi32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}, {"x", "y"}]>}) {
    %c = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x12x4xf64>, tensor<2x4x18xf64>) -> tensor<2x12x18xf64>
    %d = stablehlo.dot_general %u, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x18xi32>, tensor<2x18x12xi32>) -> tensor<2x4x12xi32>
    return %c, %d : tensor<2x12x18xf64>, tensor<2x4x12xi32>
  }
}
//| --- equal loops=one-way seeds=3
//| --- equal loops=both-ways seeds=3
//| --- equal loops=unrolled seeds=3
