// test collectives
// test partition
// test equal seeds=3
// GShard, Figure 4a: GSEC,GSM->EGCM. The einsum runs where its groups are; one all-to-all moves the result from G to E.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%mask: tensor<4x16x8x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}, {}]>}, %x: tensor<4x16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}) -> (tensor<8x4x2x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}, {}]>}) {
    %0 = stablehlo.dot_general %mask, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x16x8x2xf32>, tensor<4x16x32xf32>) -> tensor<4x8x2x32xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0, 2, 3] : (tensor<4x8x2x32xf32>) -> tensor<8x4x2x32xf32>
    return %1 : tensor<8x4x2x32xf32>
  }
}
//| --- collectives
//| 1 all-to-all over {"x"}: 1536 bytes
//| 16384 flops in contractions
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%mask: tensor<1x16x8x2xf32>, %x: tensor<1x16x32xf32>) -> tensor<2x4x2x32xf32> {
//|     %0 = stablehlo.dot_general %mask, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<1x16x8x2xf32>, tensor<1x16x32xf32>) -> tensor<1x8x2x32xf32>
//|     %2 = "stablehlo.all_to_all"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, split_count = 4 : i64, split_dimension = 1 : i64, use_global_device_ids}> : (tensor<1x8x2x32xf32>) -> tensor<4x2x2x32xf32>
//|     %1 = stablehlo.transpose %2, dims = [1, 0, 2, 3] : (tensor<4x2x2x32xf32>) -> tensor<2x4x2x32xf32>
//|     return %1 : tensor<2x4x2x32xf32>
//|   }
//| }
//| --- equal seeds=3
