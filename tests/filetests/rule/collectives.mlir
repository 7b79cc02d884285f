// test rule Collective PartitionId ReplicaId
// Dims that a collective leaves alone pass; the number of a device has none.
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func public @main(%x: tensor<4x6xf32>) -> tensor<8x6xf32> {
    %p = stablehlo.partition_id : tensor<ui32>
    %n = stablehlo.replica_id : tensor<ui32>
    %g = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4x6xf32>) -> tensor<8x6xf32>
    %s = "stablehlo.all_reduce"(%g) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%c: tensor<f32>, %d: tensor<f32>):
      %e = stablehlo.add %c, %d : tensor<f32>
      stablehlo.return %e : tensor<f32>
    }) : (tensor<8x6xf32>) -> tensor<8x6xf32>
    return %s : tensor<8x6xf32>
  }
}
//| %p = partition_id: ()->([]) {}
//| %n = replica_id: ()->([]) {}
//| %g = all_gather: ([j, i])->([k, i]) {i=6, j=4, k=8} need_replication={j, k}
//| %s = all_reduce: ([i, j])->([i, j]) {i=8, j=6}
