// test partition
// test equal seeds=3
module {
  sdy.mesh @m = <["x"=4]>
  sdy.mesh @n = <["x"=4], device_ids=[1, 2, 3, 0]>
  func.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@n, [{"x"}]>}) {
    %0 = stablehlo.negate %a : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   sdy.mesh @n = <["x"=4], device_ids=[1, 2, 3, 0]>
//|   func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
//|     %0 = stablehlo.negate %a : tensor<2xf32>
//|     %1 = "stablehlo.collective_permute"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<2xf32>
//|     return %1 : tensor<2xf32>
//|   }
//| }
//| --- equal seeds=3
