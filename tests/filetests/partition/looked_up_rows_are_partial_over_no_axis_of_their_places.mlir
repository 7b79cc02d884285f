// test partition
// test equal seeds=3
// The table and the places are annotated over the same axes: rows looked up in pieces are partial sums, whose axes cannot
// split the result as well.
module {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(%table: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}]>}, %places: tensor<4x1xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) -> tensor<4xf32> {
    %0 = "stablehlo.gather"(%table, %places) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<8xf32>, tensor<4x1xi32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=2, "y"=2]>
//|   func.func public @main(%table: tensor<2xf32>, %places: tensor<2x1xi32>) -> tensor<2xf32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %3 = stablehlo.constant dense<2> : tensor<i32>
//|     %4 = stablehlo.divide %2, %3 : tensor<i32>
//|     %5 = "stablehlo.all_gather"(%table) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
//|     %6 = "stablehlo.all_gather"(%places) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<2x1xi32>) -> tensor<2x2xi32>
//|     %7 = stablehlo.slice %6 [0:2, 0:1] : (tensor<2x2xi32>) -> tensor<2x1xi32>
//|     %8 = stablehlo.constant dense<7> : tensor<1xi32>
//|     %9 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<1xi32>) -> tensor<2x1xi32>
//|     %10 = stablehlo.constant dense<0> : tensor<2x1xi32>
//|     %11 = stablehlo.clamp %10, %7, %9 : tensor<2x1xi32>
//|     %12 = stablehlo.constant dense<4> : tensor<i32>
//|     %13 = stablehlo.multiply %4, %12 : tensor<i32>
//|     %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
//|     %15 = stablehlo.subtract %11, %14 : tensor<2x1xi32>
//|     %16 = stablehlo.constant dense<4> : tensor<1xi32>
//|     %17 = stablehlo.broadcast_in_dim %16, dims = [1] : (tensor<1xi32>) -> tensor<2x1xi32>
//|     %18 = stablehlo.compare GE, %15, %10 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x1xi1>
//|     %19 = stablehlo.compare LT, %15, %17 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x1xi1>
//|     %20 = stablehlo.and %18, %19 : tensor<2x1xi1>
//|     %21 = stablehlo.constant dense<true> : tensor<i1>
//|     %22 = stablehlo.reduce(%20 init: %21) applies stablehlo.and across dimensions = [1] : (tensor<2x1xi1>, tensor<i1>) -> tensor<2xi1>
//|     %23 = "stablehlo.gather"(%5, %15) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<2x1xi32>) -> tensor<2xf32>
//|     %24 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
//|     %0 = stablehlo.select %22, %23, %24 : tensor<2xi1>, tensor<2xf32>
//|     %25 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %26 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %26 : tensor<f32>
//|     }) : (tensor<2xf32>) -> tensor<2xf32>
//|     return %25 : tensor<2xf32>
//|   }
//| }
//| --- equal seeds=3
