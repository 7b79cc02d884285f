// test partition
// test equal devices=4
// GShard, Figures 11 and 12: left halo 1 - i, right halo 1 + i. One permute brings the largest halo from the right (the
// only left halo of more than 0 lies outside), and each device cuts out what it needs.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%base: tensor<2x12x3xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}, %window: tensor<3x3x4xf32>) -> (tensor<2x6x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}) {
    %0 = stablehlo.convolution(%base, %window) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x12x3xf32>, tensor<3x3x4xf32>) -> tensor<2x6x4xf32>
    return %0 : tensor<2x6x4xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%base: tensor<2x3x3xf32>, %window: tensor<3x3x4xf32>) -> tensor<2x2x4xf32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %3 = "stablehlo.collective_permute"(%base) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 0], [2, 1], [3, 2]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
//|     %4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<2x1x3xf32>
//|     %6 = stablehlo.concatenate %5, %base, %3, %5, dim = 1 : (tensor<2x1x3xf32>, tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x1x3xf32>) -> tensor<2x8x3xf32>
//|     %7 = stablehlo.constant dense<0> : tensor<i32>
//|     %8 = stablehlo.dynamic_slice %6, %7, %2, %7, sizes = [2, 5, 3] : (tensor<2x8x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x5x3xf32>
//|     %0 = stablehlo.convolution(%8, %window) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[0, 0]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x3xf32>, tensor<3x3x4xf32>) -> tensor<2x2x4xf32>
//|     return %0 : tensor<2x2x4xf32>
//|   }
//| }
//| --- equal devices=4
