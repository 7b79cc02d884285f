// test complete values
// Batch dims of operand, indices and result are one.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %f1: tensor<4x3x1xi32>,
    %b0: tensor<4x16xf32>,
    %b1: tensor<4x3x1xi32>
) -> (
    tensor<4x3xf32>,
    tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = "stablehlo.gather"(%f0, %f1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
  %bout = "stablehlo.gather"(%b0, %b1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
  return %fout, %bout : tensor<4x3xf32>, tensor<4x3xf32>
}
//| %f0 [{"x"}, {}]
//| %f1 [{"x"}, {}, {}]
//| %b0 [{"x"}, {}]
//| %b1 [{"x"}, {"y"}, {}]
//| %fout [{"x"}, {}]
//| %bout [{"x"}, {"y"}]
