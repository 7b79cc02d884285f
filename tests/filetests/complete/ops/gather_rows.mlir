// test complete values
// An embedding: what is looked up passes from the indices, the rest of a row from the table.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
    %f1: tensor<4x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %b0: tensor<16x8xf32>,
    %b1: tensor<4x1xi32>
) -> (
    tensor<4x8xf32>,
    tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = "stablehlo.gather"(%f0, %f1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<16x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  %bout = "stablehlo.gather"(%b0, %b1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<16x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  return %fout, %bout : tensor<4x8xf32>, tensor<4x8xf32>
}
//| %f0 [{}, {"y"}]
//| %f1 [{"x"}, {}]
//| %b0 [{}, {"y"}]
//| %b1 [{"x"}, {}]
//| %fout [{"x"}, {"y"}]
//| %bout [{"x"}, {"y"}]
