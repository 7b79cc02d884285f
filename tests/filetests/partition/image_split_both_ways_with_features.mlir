// test partition
// test equal devices=8
// Rows, columns and input features are split at once: halos of rows, then of columns (corners come along), a sum over
// features at the end.
module {
  sdy.mesh @m = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%image: tensor<2x8x8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}, {"z"}]>}, %kernel: tensor<3x3x4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}, {"z"}, {}]>}) -> (tensor<2x8x8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}, {}]>}) {
    %0 = stablehlo.convolution(%image, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x4xf32>) -> tensor<2x8x8x4xf32>
    return %0 : tensor<2x8x8x4xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=2, "y"=2, "z"=2]>
//|   func.func public @main(%image: tensor<2x4x4x2xf32>, %kernel: tensor<3x3x2x4xf32>) -> tensor<2x4x4x4xf32> {
//|     %1 = stablehlo.slice %image [0:2, 3:4, 0:4, 0:2] : (tensor<2x4x4x2xf32>) -> tensor<2x1x4x2xf32>
//|     %2 = "stablehlo.collective_permute"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<2x1x4x2xf32>) -> tensor<2x1x4x2xf32>
//|     %3 = stablehlo.slice %image [0:2, 0:1, 0:4, 0:2] : (tensor<2x4x4x2xf32>) -> tensor<2x1x4x2xf32>
//|     %4 = "stablehlo.collective_permute"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[4, 0], [5, 1], [6, 2], [7, 3]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<2x1x4x2xf32>) -> tensor<2x1x4x2xf32>
//|     %5 = stablehlo.concatenate %2, %image, %4, dim = 1 : (tensor<2x1x4x2xf32>, tensor<2x4x4x2xf32>, tensor<2x1x4x2xf32>) -> tensor<2x6x4x2xf32>
//|     %6 = stablehlo.slice %5 [0:2, 0:6, 3:4, 0:2] : (tensor<2x6x4x2xf32>) -> tensor<2x6x1x2xf32>
//|     %7 = "stablehlo.collective_permute"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, source_target_pairs = dense<[[0, 2], [1, 3], [4, 6], [5, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<2x6x1x2xf32>) -> tensor<2x6x1x2xf32>
//|     %8 = stablehlo.slice %5 [0:2, 0:6, 0:1, 0:2] : (tensor<2x6x4x2xf32>) -> tensor<2x6x1x2xf32>
//|     %9 = "stablehlo.collective_permute"(%8) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, source_target_pairs = dense<[[2, 0], [3, 1], [6, 4], [7, 5]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<2x6x1x2xf32>) -> tensor<2x6x1x2xf32>
//|     %10 = stablehlo.concatenate %7, %5, %9, dim = 2 : (tensor<2x6x1x2xf32>, tensor<2x6x4x2xf32>, tensor<2x6x1x2xf32>) -> tensor<2x6x6x2xf32>
//|     %0 = stablehlo.convolution(%10, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x6x2xf32>, tensor<3x3x2x4xf32>) -> tensor<2x4x4x4xf32>
//|     %11 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "z">]>, use_global_device_ids}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %12 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %12 : tensor<f32>
//|     }) : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
//|     return %11 : tensor<2x4x4x4xf32>
//|   }
//| }
//| --- equal devices=8
