// test partition
// test equal devices=4
// Each shard goes to the mirrored device and is turned round there.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = stablehlo.reverse %a, dims = [0] : tensor<12x8xf32>
    return %0 : tensor<12x8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<3x8xf32>) -> tensor<3x8xf32> {
//|     %1 = "stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 2], [2, 1], [3, 0]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<3x8xf32>) -> tensor<3x8xf32>
//|     %0 = stablehlo.reverse %1, dims = [0] : tensor<3x8xf32>
//|     return %0 : tensor<3x8xf32>
//|   }
//| }
//| --- equal devices=4
