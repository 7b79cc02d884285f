// test partition
// test equal seeds=3
// The table is split over its rows (42 over 4, unevenly): each device looks up its own and the rows are summed.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%t: tensor<42x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %i: tensor<5x1xi32>) -> (tensor<5x64xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
    %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 64>}> : (tensor<42x64xf32>, tensor<5x1xi32>) -> tensor<5x64xf32>
    return %0 : tensor<5x64xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%t: tensor<11x64xf32>, %i: tensor<5x1xi32>) -> tensor<5x64xf32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %3 = stablehlo.constant dense<41> : tensor<1xi32>
//|     %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<1xi32>) -> tensor<5x1xi32>
//|     %5 = stablehlo.constant dense<0> : tensor<5x1xi32>
//|     %6 = stablehlo.clamp %5, %i, %4 : tensor<5x1xi32>
//|     %7 = stablehlo.constant dense<11> : tensor<i32>
//|     %8 = stablehlo.multiply %2, %7 : tensor<i32>
//|     %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<i32>) -> tensor<5x1xi32>
//|     %10 = stablehlo.subtract %6, %9 : tensor<5x1xi32>
//|     %11 = stablehlo.constant dense<11> : tensor<1xi32>
//|     %12 = stablehlo.broadcast_in_dim %11, dims = [1] : (tensor<1xi32>) -> tensor<5x1xi32>
//|     %13 = stablehlo.compare GE, %10, %5 : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x1xi1>
//|     %14 = stablehlo.compare LT, %10, %12 : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x1xi1>
//|     %15 = stablehlo.and %13, %14 : tensor<5x1xi1>
//|     %16 = stablehlo.constant dense<true> : tensor<i1>
//|     %17 = stablehlo.reduce(%15 init: %16) applies stablehlo.and across dimensions = [1] : (tensor<5x1xi1>, tensor<i1>) -> tensor<5xi1>
//|     %18 = "stablehlo.gather"(%t, %10) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 64>}> : (tensor<11x64xf32>, tensor<5x1xi32>) -> tensor<5x64xf32>
//|     %19 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<5xi1>) -> tensor<5x64xi1>
//|     %20 = stablehlo.constant dense<0.000000e+00> : tensor<5x64xf32>
//|     %0 = stablehlo.select %19, %18, %20 : tensor<5x64xi1>, tensor<5x64xf32>
//|     %21 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %22 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %22 : tensor<f32>
//|     }) : (tensor<5x64xf32>) -> tensor<5x64xf32>
//|     return %21 : tensor<5x64xf32>
//|   }
//| }
//| --- equal seeds=3
