// test partition
// test equal devices=4
// 10 elements in shards of 3; beyond the edges, and in the padding of the last shard, stands the identity of the maximum.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%a, %low) <{padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %m = stablehlo.maximum %x, %y : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<10x8xf32>, tensor<f32>) -> tensor<10x8xf32>
    return %0 : tensor<10x8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<3x8xf32>) -> tensor<3x8xf32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
//|     %3 = stablehlo.slice %a [2:3, 0:8] : (tensor<3x8xf32>) -> tensor<1x8xf32>
//|     %4 = "stablehlo.collective_permute"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<1x8xf32>) -> tensor<1x8xf32>
//|     %5 = stablehlo.slice %a [0:1, 0:8] : (tensor<3x8xf32>) -> tensor<1x8xf32>
//|     %6 = "stablehlo.collective_permute"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[1, 0], [2, 1], [3, 2]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<1x8xf32>) -> tensor<1x8xf32>
//|     %7 = stablehlo.concatenate %4, %a, %6, dim = 0 : (tensor<1x8xf32>, tensor<3x8xf32>, tensor<1x8xf32>) -> tensor<5x8xf32>
//|     %8 = stablehlo.iota dim = 0 : tensor<5x8xi32>
//|     %9 = stablehlo.constant dense<3> : tensor<i32>
//|     %10 = stablehlo.multiply %2, %9 : tensor<i32>
//|     %11 = stablehlo.constant dense<-1> : tensor<i32>
//|     %12 = stablehlo.add %10, %11 : tensor<i32>
//|     %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<i32>) -> tensor<5x8xi32>
//|     %14 = stablehlo.add %8, %13 : tensor<5x8xi32>
//|     %15 = stablehlo.constant dense<0> : tensor<5x8xi32>
//|     %16 = stablehlo.compare GE, %14, %15 : (tensor<5x8xi32>, tensor<5x8xi32>) -> tensor<5x8xi1>
//|     %17 = stablehlo.constant dense<10> : tensor<5x8xi32>
//|     %18 = stablehlo.compare LT, %14, %17 : (tensor<5x8xi32>, tensor<5x8xi32>) -> tensor<5x8xi1>
//|     %19 = stablehlo.and %16, %18 : tensor<5x8xi1>
//|     %20 = stablehlo.broadcast_in_dim %low, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
//|     %21 = stablehlo.select %19, %7, %20 : tensor<5x8xi1>, tensor<5x8xf32>
//|     %0 = "stablehlo.reduce_window"(%21, %low) <{base_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 1, 1>}> ({
//|     ^bb0(%x: tensor<f32>, %y: tensor<f32>):
//|       %m = stablehlo.maximum %x, %y : tensor<f32>
//|       stablehlo.return %m : tensor<f32>
//|     }) : (tensor<5x8xf32>, tensor<f32>) -> tensor<3x8xf32>
//|     return %0 : tensor<3x8xf32>
//|   }
//| }
//| --- equal devices=4
