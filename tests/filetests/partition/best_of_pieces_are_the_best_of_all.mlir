// test partition
// test equal devices=4
// top_k along a split dim: three candidates per device, then the best three of twelve. Ties go to the lower index.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<8x30xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<8x3xf32>, tensor<8x3xi32>) {
    %values, %places = chlo.top_k(%a, k = 3) : tensor<8x30xf32> -> (tensor<8x3xf32>, tensor<8x3xi32>)
    return %values, %places : tensor<8x3xf32>, tensor<8x3xi32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<8x8xf32>) -> (tensor<8x3xf32>, tensor<8x3xi32>) {
//|     %0 = stablehlo.partition_id : tensor<ui32>
//|     %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
//|     %2 = stablehlo.constant dense<0xFFFFFFFF> : tensor<f32>
//|     %3 = stablehlo.iota dim = 1 : tensor<8x8xi32>
//|     %4 = stablehlo.constant dense<8> : tensor<i32>
//|     %5 = stablehlo.multiply %1, %4 : tensor<i32>
//|     %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<i32>) -> tensor<8x8xi32>
//|     %7 = stablehlo.add %3, %6 : tensor<8x8xi32>
//|     %8 = stablehlo.constant dense<30> : tensor<8x8xi32>
//|     %9 = stablehlo.compare LT, %7, %8 : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
//|     %10 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
//|     %11 = stablehlo.select %9, %a, %10 : tensor<8x8xi1>, tensor<8x8xf32>
//|     %12:2 = chlo.top_k(%11, k = 3) : tensor<8x8xf32> -> (tensor<8x3xf32>, tensor<8x3xi32>)
//|     %13 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<i32>) -> tensor<8x3xi32>
//|     %14 = stablehlo.add %12#1, %13 : tensor<8x3xi32>
//|     %15 = "stablehlo.all_gather"(%12#0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<8x3xf32>) -> tensor<8x12xf32>
//|     %16 = "stablehlo.all_gather"(%14) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<8x3xi32>) -> tensor<8x12xi32>
//|     %values, %17 = chlo.top_k(%15, k = 3) : tensor<8x12xf32> -> (tensor<8x3xf32>, tensor<8x3xi32>)
//|     %places = "stablehlo.gather"(%16, %17) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<8x12xi32>, tensor<8x3xi32>) -> tensor<8x3xi32>
//|     return %values, %places : tensor<8x3xf32>, tensor<8x3xi32>
//|   }
//| }
//| --- equal devices=4
