// test partition
// test equal devices=4
// GSPMD 4.6: concatenate(a[4:], a[:4]) over shards of 4 sends every shard to the next device, round the ring. By 1 element
// only that one is sent.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = stablehlo.slice %a [4:16, 0:8] : (tensor<16x8xf32>) -> tensor<12x8xf32>
    %1 = stablehlo.slice %a [0:4, 0:8] : (tensor<16x8xf32>) -> tensor<4x8xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<12x8xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
    %3 = stablehlo.slice %a [1:16, 0:8] : (tensor<16x8xf32>) -> tensor<15x8xf32>
    %4 = stablehlo.slice %a [0:1, 0:8] : (tensor<16x8xf32>) -> tensor<1x8xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 0 : (tensor<15x8xf32>, tensor<1x8xf32>) -> tensor<16x8xf32>
    return %2, %5 : tensor<16x8xf32>, tensor<16x8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
//|     %2 = "stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
//|     %6 = stablehlo.slice %a [1:4, 0:8] : (tensor<4x8xf32>) -> tensor<3x8xf32>
//|     %7 = stablehlo.slice %a [0:1, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
//|     %8 = "stablehlo.collective_permute"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<1x8xf32>) -> tensor<1x8xf32>
//|     %5 = stablehlo.concatenate %6, %8, dim = 0 : (tensor<3x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
//|     return %2, %5 : tensor<4x8xf32>, tensor<4x8xf32>
//|   }
//| }
//| --- equal devices=4
