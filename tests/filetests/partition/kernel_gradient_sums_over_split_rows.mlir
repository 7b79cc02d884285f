// test partition
// test equal devices=4
// The gradient of a kernel: the window is the gradient of the image, as split as the image. Taps stay where they are, the
// image's halo comes to them, and the sum over rows is reduced once.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%image: tensor<2x32x3xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}, %slope: tensor<2x16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}) -> tensor<3x3x4xf32> {
    %0 = stablehlo.convolution(%image, %slope) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {stride = [1], pad = [[1, 0]], lhs_dilate = [1], rhs_dilate = [2], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x32x3xf32>, tensor<2x16x4xf32>) -> tensor<3x3x4xf32>
    return %0 : tensor<3x3x4xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%image: tensor<2x8x3xf32>, %slope: tensor<2x4x4xf32>) -> tensor<3x3x4xf32> {
//|     %1 = stablehlo.slice %image [0:2, 7:8, 0:3] : (tensor<2x8x3xf32>) -> tensor<2x1x3xf32>
//|     %2 = "stablehlo.collective_permute"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
//|     %3 = stablehlo.concatenate %2, %image, dim = 1 : (tensor<2x1x3xf32>, tensor<2x8x3xf32>) -> tensor<2x9x3xf32>
//|     %0 = stablehlo.convolution(%3, %slope) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {stride = [1], pad = [[0, 0]], lhs_dilate = [1], rhs_dilate = [2], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<2x4x4xf32>) -> tensor<3x3x4xf32>
//|     %4 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %5 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %5 : tensor<f32>
//|     }) : (tensor<3x3x4xf32>) -> tensor<3x3x4xf32>
//|     return %4 : tensor<3x3x4xf32>
//|   }
//| }
//| --- equal devices=4
