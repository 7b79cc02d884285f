// test partition
// test equal seeds=2
// GShard: tokens by group over `x`, expert weights by expert over `x`; two all-to-alls around the product, no gather.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%d: tensor<4x8x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}, %w: tensor<8x64x2048xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}) -> (tensor<4x8x2048xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}) {
    %0 = stablehlo.dot_general %d, %w, batching_dims = [1] x [0], contracting_dims = [2] x [1] : (tensor<4x8x64xf32>, tensor<8x64x2048xf32>) -> tensor<8x4x2048xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<8x4x2048xf32>) -> tensor<4x8x2048xf32>
    return %1 : tensor<4x8x2048xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%d: tensor<1x8x64xf32>, %w: tensor<2x64x2048xf32>) -> tensor<1x8x2048xf32> {
//|     %2 = "stablehlo.all_to_all"(%d) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, split_count = 4 : i64, split_dimension = 1 : i64, use_global_device_ids}> : (tensor<1x8x64xf32>) -> tensor<4x2x64xf32>
//|     %0 = stablehlo.dot_general %2, %w, batching_dims = [1] x [0], contracting_dims = [2] x [1] : (tensor<4x2x64xf32>, tensor<2x64x2048xf32>) -> tensor<2x4x2048xf32>
//|     %3 = "stablehlo.all_to_all"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, concat_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, split_count = 4 : i64, split_dimension = 1 : i64, use_global_device_ids}> : (tensor<2x4x2048xf32>) -> tensor<8x1x2048xf32>
//|     %1 = stablehlo.reshape %3 : (tensor<8x1x2048xf32>) -> tensor<1x8x2048xf32>
//|     return %1 : tensor<1x8x2048xf32>
//|   }
//| }
//| --- equal seeds=2
