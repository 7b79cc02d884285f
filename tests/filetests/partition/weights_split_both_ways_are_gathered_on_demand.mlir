// test partition
// test equal seeds=3
// GSPMD 3.2: weights split over both axes; the batch axis is put together before the product, the other is not.
module {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<4096x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %w: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<4096x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
    %c = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4096x64xf32>, tensor<64x16xf32>) -> tensor<4096x16xf32>
    return %c : tensor<4096x16xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=2, "y"=2]>
//|   func.func public @main(%a: tensor<2048x64xf32>, %w: tensor<32x8xf32>) -> tensor<2048x8xf32> {
//|     %0 = "stablehlo.all_gather"(%w) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<32x8xf32>) -> tensor<64x8xf32>
//|     %c = stablehlo.dot_general %a, %0, contracting_dims = [1] x [0] : (tensor<2048x64xf32>, tensor<64x8xf32>) -> tensor<2048x8xf32>
//|     return %c : tensor<2048x8xf32>
//|   }
//| }
//| --- equal seeds=3
