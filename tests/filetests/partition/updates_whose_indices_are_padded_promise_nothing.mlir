// test partition
// test equal seeds=3
// Seven indices on two devices: the eighth lies nowhere, so they are neither sorted nor known to be different.
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%t: tensor<8x4xf32>, %i: tensor<7x1xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %u: tensor<7x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  %r = "stablehlo.scatter"(%t, %i, %u) <{indices_are_sorted = true, unique_indices = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<7x1xi32>, tensor<7x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=2, "y"=2]>
//|   func.func public @main(%t: tensor<8x4xf32>, %i: tensor<4x1xi32>, %u: tensor<4x4xf32>) -> tensor<8x4xf32> {
//|     %0 = stablehlo.partition_id : tensor<ui32>
//|     %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
//|     %2 = stablehlo.constant dense<2> : tensor<i32>
//|     %3 = stablehlo.divide %1, %2 : tensor<i32>
//|     %4 = stablehlo.iota dim = 0 : tensor<4x1xi32>
//|     %5 = stablehlo.constant dense<4> : tensor<i32>
//|     %6 = stablehlo.multiply %3, %5 : tensor<i32>
//|     %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
//|     %8 = stablehlo.add %4, %7 : tensor<4x1xi32>
//|     %9 = stablehlo.constant dense<7> : tensor<4x1xi32>
//|     %10 = stablehlo.compare LT, %8, %9 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
//|     %11 = stablehlo.constant dense<-1> : tensor<4x1xi32>
//|     %12 = stablehlo.select %10, %i, %11 : tensor<4x1xi1>, tensor<4x1xi32>
//|     %13 = "stablehlo.all_gather"(%12) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<4x1xi32>) -> tensor<8x1xi32>
//|     %14 = "stablehlo.all_gather"(%u) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<4x4xf32>) -> tensor<8x4xf32>
//|     %r = "stablehlo.scatter"(%t, %13, %14) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
//|     ^bb0(%a: tensor<f32>, %b: tensor<f32>):
//|       %c = stablehlo.add %a, %b : tensor<f32>
//|       stablehlo.return %c : tensor<f32>
//|     }) : (tensor<8x4xf32>, tensor<8x1xi32>, tensor<8x4xf32>) -> tensor<8x4xf32>
//|     return %r : tensor<8x4xf32>
//|   }
//| }
//| --- equal seeds=3
