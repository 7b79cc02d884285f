// test complete values
// The gradient of an embedding: rows from the table, updates from the indices.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
    %f1: tensor<4x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %f2: tensor<4x8xf32>,
    %b0: tensor<16x8xf32>,
    %b1: tensor<4x1xi32>,
    %b2: tensor<4x8xf32>
) -> (
    tensor<16x8xf32>,
    tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}
) {
  %fout = "stablehlo.scatter"(%f0, %f1, %f2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%fa: tensor<f32>, %fb: tensor<f32>):
    %fc = stablehlo.add %fa, %fb : tensor<f32>
    stablehlo.return %fc : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<4x1xi32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %bout = "stablehlo.scatter"(%b0, %b1, %b2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%ba: tensor<f32>, %bb: tensor<f32>):
    %bc = stablehlo.add %ba, %bb : tensor<f32>
    stablehlo.return %bc : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<4x1xi32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  return %fout, %bout : tensor<16x8xf32>, tensor<16x8xf32>
}
//| %f0 [{}, {"y"}]
//| %f1 [{"x"}, {}]
//| %f2 [{"x"}, {"y"}]
//| %b0 [{}, {"y"}]
//| %b1 [{}, {}]
//| %b2 [{}, {"y"}]
//| %fout [{}, {"y"}]
//| %bout [{}, {"y"}]
