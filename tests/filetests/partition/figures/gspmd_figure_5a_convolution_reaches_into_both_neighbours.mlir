// test partition
// test equal devices=4
// GSPMD, Figure 5a: a window of 3 needs one row of each neighbour; what lies beyond the edges arrives as zeros.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%base: tensor<2x16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}, %window: tensor<3x3x4xf32>) -> (tensor<2x16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}) {
    %0 = stablehlo.convolution(%base, %window) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x3xf32>, tensor<3x3x4xf32>) -> tensor<2x16x4xf32>
    return %0 : tensor<2x16x4xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%base: tensor<2x4x3xf32>, %window: tensor<3x3x4xf32>) -> tensor<2x4x4xf32> {
//|     %1 = stablehlo.slice %base [0:2, 3:4, 0:3] : (tensor<2x4x3xf32>) -> tensor<2x1x3xf32>
//|     %2 = "stablehlo.collective_permute"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
//|     %3 = stablehlo.slice %base [0:2, 0:1, 0:3] : (tensor<2x4x3xf32>) -> tensor<2x1x3xf32>
//|     %4 = "stablehlo.collective_permute"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[1, 0], [2, 1], [3, 2]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
//|     %5 = stablehlo.concatenate %2, %base, %4, dim = 1 : (tensor<2x1x3xf32>, tensor<2x4x3xf32>, tensor<2x1x3xf32>) -> tensor<2x6x3xf32>
//|     %0 = stablehlo.convolution(%5, %window) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[0, 0]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x3xf32>, tensor<3x3x4xf32>) -> tensor<2x4x4xf32>
//|     return %0 : tensor<2x4x4xf32>
//|   }
//| }
//| --- equal devices=4
