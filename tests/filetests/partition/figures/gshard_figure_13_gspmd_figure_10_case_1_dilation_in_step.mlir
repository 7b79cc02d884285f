// test partition
// test equal devices=2
// GShard, Figure 13, case 1: stride * places per device is divisible by the dilation, so every device starts at the same
// place of the holes and pads by 1.
module {
  sdy.mesh @m = <["x"=2]>
  func.func public @main(%base: tensor<2x5x3xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}, %window: tensor<5x3x4xf32>) -> (tensor<2x4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}) {
    %0 = stablehlo.convolution(%base, %window) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [3], pad = [[1, 1]], lhs_dilate = [3], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x3xf32>, tensor<5x3x4xf32>) -> tensor<2x4x4xf32>
    return %0 : tensor<2x4x4xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=2]>
//|   func.func public @main(%base: tensor<2x3x3xf32>, %window: tensor<5x3x4xf32>) -> tensor<2x2x4xf32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %3 = stablehlo.slice %base [0:2, 2:3, 0:3] : (tensor<2x3x3xf32>) -> tensor<2x1x3xf32>
//|     %4 = "stablehlo.collective_permute"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
//|     %5 = stablehlo.concatenate %4, %base, dim = 1 : (tensor<2x1x3xf32>, tensor<2x3x3xf32>) -> tensor<2x4x3xf32>
//|     %6 = stablehlo.constant dense<0> : tensor<i32>
//|     %7 = stablehlo.constant dense<-1> : tensor<i32>
//|     %8 = stablehlo.multiply %2, %7 : tensor<i32>
//|     %9 = stablehlo.constant dense<1> : tensor<i32>
//|     %10 = stablehlo.add %8, %9 : tensor<i32>
//|     %11 = stablehlo.dynamic_slice %5, %6, %10, %6, sizes = [2, 3, 3] : (tensor<2x4x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x3x3xf32>
//|     %0 = stablehlo.convolution(%11, %window) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [3], pad = [[1, 0]], lhs_dilate = [3], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x3xf32>, tensor<5x3x4xf32>) -> tensor<2x2x4xf32>
//|     return %0 : tensor<2x2x4xf32>
//|   }
//| }
//| --- equal devices=2
