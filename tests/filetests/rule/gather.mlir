// test rule Gather
// Places pass from the indices, the rest of a row from the table; a table split along its rows leaves a sum. In batches the dim passes from all.
func.func public @main(%x: tensor<16x8xf32>, %at: tensor<4x1xi32>, %b: tensor<5x16xf32>, %in: tensor<5x3x1xi32>) -> tensor<4x8xf32> {
  %rows = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<16x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  %each = "stablehlo.gather"(%b, %in) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<5x16xf32>, tensor<5x3x1xi32>) -> tensor<5x3xf32>
  return %rows : tensor<4x8xf32>
}
//| %rows = gather: ([k, j], [i, 1])->([i, j]) {i=4, j=8, k=16} reduction={k} by_family={k}
//| %each = gather: ([i, k], [i, j, 1])->([i, j]) {i=5, j=3, k=16} reduction={k} by_family={k}
