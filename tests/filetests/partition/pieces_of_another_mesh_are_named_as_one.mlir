// test partition
// test equal seeds=3
// Over another mesh the columns are split over two pieces of its axis side by side: that is one piece, and is called so.
sdy.mesh @whole = <["x"=16]>
sdy.mesh @square = <["x"=4, "y"=4], device_ids=[15, 3, 8, 1, 13, 9, 5, 2, 10, 0, 11, 6, 14, 12, 7, 4]>
func.func @main(%a: tensor<10x2xui8> {sdy.sharding = #sdy.sharding<@whole, [{"x"}, {}]>}) -> (tensor<10x2xui8> {sdy.sharding = #sdy.sharding<@whole, [{}, {"x":(1)4}]>}) {
  %b = stablehlo.add %a, %a : tensor<10x2xui8>
  %c = sdy.sharding_constraint %b <@square, [{?}, {"x", ?}]> : tensor<10x2xui8>
  return %c : tensor<10x2xui8>
}
//| --- partition
//| module attributes {mhlo.num_partitions = 16 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @whole = <["x"=16]>
//|   sdy.mesh @square = <["x"=4, "y"=4], device_ids=[15, 3, 8, 1, 13, 9, 5, 2, 10, 0, 11, 6, 14, 12, 7, 4]>
//|   func.func public @main(%a: tensor<1x2xui8>) -> tensor<10x1xui8> {
//|     %0 = stablehlo.constant dense<0> : tensor<ui8>
//|     %1 = stablehlo.pad %a, %0, low = [0, 0], high = [0, 2], interior = [0, 0] : (tensor<1x2xui8>, tensor<ui8>) -> tensor<1x4xui8>
//|     %b = stablehlo.add %1, %1 : tensor<1x4xui8>
//|     %2 = "stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 15], [1, 3], [2, 8], [3, 1], [4, 13], [5, 9], [6, 5], [7, 2], [8, 10], [9, 0], [10, 11], [11, 6], [12, 14], [13, 12], [14, 7], [15, 4]]> : tensor<16x2xi64>, use_global_device_ids}> : (tensor<1x4xui8>) -> tensor<1x4xui8>
//|     %3 = "stablehlo.all_gather"(%2) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @square, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> : (tensor<1x4xui8>) -> tensor<4x4xui8>
//|     %4 = "stablehlo.all_to_all"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, concat_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @square, axes = [#stablehlo.axis_ref<name = "x">]>, split_count = 4 : i64, split_dimension = 1 : i64, use_global_device_ids}> : (tensor<4x4xui8>) -> tensor<16x1xui8>
//|     %5 = "stablehlo.collective_permute"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, source_target_pairs = dense<[[0, 8], [1, 1], [2, 4], [3, 3], [4, 13], [5, 5], [6, 9], [7, 15], [8, 0], [9, 6], [10, 10], [11, 11], [12, 12], [13, 7], [14, 14], [15, 2]]> : tensor<16x2xi64>, use_global_device_ids}> : (tensor<16x1xui8>) -> tensor<16x1xui8>
//|     %6 = stablehlo.slice %5 [0:10, 0:1] : (tensor<16x1xui8>) -> tensor<10x1xui8>
//|     return %6 : tensor<10x1xui8>
//|   }
//| }
//| --- equal seeds=3
