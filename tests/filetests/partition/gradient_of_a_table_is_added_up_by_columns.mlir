// test partition
// test equal seeds=3
// Rows of a table and the batch want one axis. Rows of the batch change places, so that each device adds up some columns of
// all of them; then pieces of the table do: 384 bytes each. Adding up whole rows of one's own batch and reduce-scattering the
// table would send 1,536, and so would gathering the batch.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%i: tensor<64x1xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %rows: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %zeros = stablehlo.constant dense<0.0> : tensor<64x8xf32>
    %0 = "stablehlo.scatter"(%zeros, %i, %rows) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<64x8xf32>, tensor<64x1xi32>, tensor<64x8xf32>) -> tensor<64x8xf32>
    return %0 : tensor<64x8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%i: tensor<16x1xi32>, %rows: tensor<16x8xf32>) -> tensor<16x8xf32> {
//|     %zeros = stablehlo.constant dense<0.000000e+00> : tensor<64x2xf32>
//|     %1 = "stablehlo.all_gather"(%i) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<16x1xi32>) -> tensor<64x1xi32>
//|     %2 = "stablehlo.all_to_all"(%rows) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, concat_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, split_count = 4 : i64, split_dimension = 1 : i64, use_global_device_ids}> : (tensor<16x8xf32>) -> tensor<64x2xf32>
//|     %0 = "stablehlo.scatter"(%zeros, %1, %2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
//|     ^bb0(%a: tensor<f32>, %b: tensor<f32>):
//|       %sum = stablehlo.add %a, %b : tensor<f32>
//|       stablehlo.return %sum : tensor<f32>
//|     }) : (tensor<64x2xf32>, tensor<64x1xi32>, tensor<64x2xf32>) -> tensor<64x2xf32>
//|     %3 = "stablehlo.all_to_all"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, concat_dimension = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, split_count = 4 : i64, split_dimension = 0 : i64, use_global_device_ids}> : (tensor<64x2xf32>) -> tensor<16x8xf32>
//|     return %3 : tensor<16x8xf32>
//|   }
//| }
//| --- equal seeds=3
