// test partition
// test equal devices=4 seeds=4
// Three rows to an update, four to a device: a piece is widened by three on both sides, and what falls there is cut off again.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<16x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %i: tensor<5x1xi32>, %u: tensor<5x3x2xf32>) -> (tensor<16x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<16x2xf32>, tensor<5x1xi32>, tensor<5x3x2xf32>) -> tensor<16x2xf32>
    return %0 : tensor<16x2xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<4x2xf32>, %i: tensor<5x1xi32>, %u: tensor<5x3x2xf32>) -> tensor<4x2xf32> {
//|     %2 = stablehlo.partition_id : tensor<ui32>
//|     %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i32>
//|     %4 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<4x2xf32>) -> tensor<16x2xf32>
//|     %0 = "stablehlo.scatter"(%4, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
//|     ^bb0(%x: tensor<f32>, %y: tensor<f32>):
//|       %1 = stablehlo.add %x, %y : tensor<f32>
//|       stablehlo.return %1 : tensor<f32>
//|     }) : (tensor<16x2xf32>, tensor<5x1xi32>, tensor<5x3x2xf32>) -> tensor<16x2xf32>
//|     %5 = stablehlo.constant dense<4> : tensor<i32>
//|     %6 = stablehlo.multiply %3, %5 : tensor<i32>
//|     %7 = stablehlo.constant dense<0> : tensor<i32>
//|     %8 = stablehlo.dynamic_slice %0, %6, %7, sizes = [4, 2] : (tensor<16x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
//|     return %8 : tensor<4x2xf32>
//|   }
//| }
//| --- equal devices=4 seeds=4
