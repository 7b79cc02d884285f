// test equal devices=16 seeds=2
// The rows of %a are split over two pieces of x, minor first, so what is looked up is partial over both. Brought to one operand of
// the concatenation, and on its way behind it, the same axes are one piece or two.
module attributes {mhlo.num_partitions = 16 : i32} {
  sdy.mesh @mesh = <["x"=16]>
  func.func public @main(%a: tensor<12x6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(8)2, "x":(1)8}, {}, {}]>}, %i: tensor<0x11x2xui8>, %p: tensor<i1>, %b: tensor<0x11x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) -> (tensor<0x11x2xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)8}, {}, {}]>}) {
    %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 2], start_index_map = [2, 0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6, 1>}> : (tensor<12x6x3xf32>, tensor<0x11x2xui8>) -> tensor<0x11x6xf32>
    %1 = "stablehlo.if"(%p) ({
      %2 = stablehlo.slice %0 [0:0, 0:11, 1:6] : (tensor<0x11x6xf32>) -> tensor<0x11x5xf32>
      %3 = stablehlo.concatenate %b, %2, dim = 2 : (tensor<0x11x1xf32>, tensor<0x11x5xf32>) -> tensor<0x11x6xf32>
      stablehlo.return %i : tensor<0x11x2xui8>
    }, {
      stablehlo.return %i : tensor<0x11x2xui8>
    }) : (tensor<i1>) -> tensor<0x11x2xui8>
    return %1 : tensor<0x11x2xui8>
  }
}
