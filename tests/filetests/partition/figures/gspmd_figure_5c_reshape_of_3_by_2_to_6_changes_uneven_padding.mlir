// test partition
// test equal seeds=3
// GShard 3.3: [3,2] over 2 becomes [6] over 2. Shards of 4 elements, the last with a row of padding, become shards of 3:
// one element is sent.
module {
  sdy.mesh @m = <["x"=2]>
  func.func public @main(%a: tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    %0 = stablehlo.reshape %a : (tensor<3x2xf32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=2]>
//|   func.func public @main(%a: tensor<2x2xf32>) -> tensor<3xf32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %3 = stablehlo.reshape %a : (tensor<2x2xf32>) -> tensor<4xf32>
//|     %4 = stablehlo.slice %3 [3:4] : (tensor<4xf32>) -> tensor<1xf32>
//|     %5 = "stablehlo.collective_permute"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<1xf32>) -> tensor<1xf32>
//|     %6 = stablehlo.slice %3 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
//|     %7 = stablehlo.concatenate %5, %6, dim = 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
//|     %8 = stablehlo.constant dense<-1> : tensor<i32>
//|     %9 = stablehlo.multiply %2, %8 : tensor<i32>
//|     %10 = stablehlo.constant dense<1> : tensor<i32>
//|     %11 = stablehlo.add %9, %10 : tensor<i32>
//|     %12 = stablehlo.dynamic_slice %7, %11, sizes = [3] : (tensor<4xf32>, tensor<i32>) -> tensor<3xf32>
//|     return %12 : tensor<3xf32>
//|   }
//| }
//| --- equal seeds=3
