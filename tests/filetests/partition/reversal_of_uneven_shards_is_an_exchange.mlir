// test partition
// test equal devices=4
// 10 elements in shards of 3: the mirrored interval lies across two shards. Padding stays at the end.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = stablehlo.reverse %a, dims = [0] : tensor<10x8xf32>
    return %0 : tensor<10x8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<3x8xf32>) -> tensor<3x8xf32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %3 = "stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [1, 1], [2, 0]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<3x8xf32>) -> tensor<3x8xf32>
//|     %4 = "stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 3]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<3x8xf32>) -> tensor<3x8xf32>
//|     %5 = stablehlo.constant dense<[0, 0, 0, 1]> : tensor<4xi32>
//|     %6 = stablehlo.dynamic_slice %5, %2, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
//|     %7 = stablehlo.reshape %6 : (tensor<1xi32>) -> tensor<i32>
//|     %8 = stablehlo.constant dense<1> : tensor<i32>
//|     %9 = stablehlo.compare EQ, %7, %8 : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|     %10 = stablehlo.select %9, %4, %3 : tensor<i1>, tensor<3x8xf32>
//|     %11 = stablehlo.slice %a [0:1, 0:8] : (tensor<3x8xf32>) -> tensor<1x8xf32>
//|     %12 = "stablehlo.collective_permute"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, source_target_pairs = dense<[[1, 2], [2, 1], [3, 0]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<1x8xf32>) -> tensor<1x8xf32>
//|     %13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
//|     %15 = stablehlo.concatenate %14, %10, %12, dim = 0 : (tensor<2x8xf32>, tensor<3x8xf32>, tensor<1x8xf32>) -> tensor<6x8xf32>
//|     %16 = stablehlo.constant dense<0> : tensor<i32>
//|     %17 = stablehlo.constant dense<[3, 3, 3, 0]> : tensor<4xi32>
//|     %18 = stablehlo.dynamic_slice %17, %2, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
//|     %19 = stablehlo.reshape %18 : (tensor<1xi32>) -> tensor<i32>
//|     %20 = stablehlo.dynamic_slice %15, %19, %16, sizes = [3, 8] : (tensor<6x8xf32>, tensor<i32>, tensor<i32>) -> tensor<3x8xf32>
//|     %0 = stablehlo.reverse %20, dims = [0] : tensor<3x8xf32>
//|     return %0 : tensor<3x8xf32>
//|   }
//| }
//| --- equal devices=4
