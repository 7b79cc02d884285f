// test opt slice_gathers
// Two rows are no slice, and of nothing none can be cut.
module {
  func.func public @main(%y: tensor<5x3xf32>, %j: tensor<2x1xi32>, %z: tensor<5x0xf32>, %k: tensor<1x1xi32>) -> (tensor<2x3xf32>, tensor<1x0xf32>) {
    %0 = "stablehlo.gather"(%y, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
    %1 = "stablehlo.gather"(%z, %k) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 0>}> : (tensor<5x0xf32>, tensor<1x1xi32>) -> tensor<1x0xf32>
    return %0, %1 : tensor<2x3xf32>, tensor<1x0xf32>
  }
}
//| unchanged
