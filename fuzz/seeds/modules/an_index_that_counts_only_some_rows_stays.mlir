// test opt batch_indices
// The table has nine rows, of which eight are looked up.
module {
  func.func public @main(%x: tensor<9x9xf32>, %at: tensor<8x6x1xi32>) -> tensor<8x6xf32> {
    %n = stablehlo.iota dim = 0 : tensor<8x6x1xi32>
    %i = stablehlo.concatenate %n, %at, dim = 2 : (tensor<8x6x1xi32>, tensor<8x6x1xi32>) -> tensor<8x6x2xi32>
    %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<9x9xf32>, tensor<8x6x2xi32>) -> tensor<8x6xf32>
    return %0 : tensor<8x6xf32>
  }
}
//| unchanged
