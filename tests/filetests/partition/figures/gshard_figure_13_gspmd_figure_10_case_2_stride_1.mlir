// test partition
// test equal devices=4
// GShard, Figure 13, case 2: stride 1, but 4 places per device do not divide by the dilation of 3. Every device makes two
// places too many and cuts out its own.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%base: tensor<2x6x3xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}, %window: tensor<3x3x4xf32>) -> (tensor<2x14x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}) {
    %0 = stablehlo.convolution(%base, %window) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[0, 0]], lhs_dilate = [3], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x3xf32>, tensor<3x3x4xf32>) -> tensor<2x14x4xf32>
    return %0 : tensor<2x14x4xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%base: tensor<2x2x3xf32>, %window: tensor<3x3x4xf32>) -> tensor<2x4x4xf32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %3 = "stablehlo.collective_permute"(%base) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 2], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
//|     %4 = stablehlo.concatenate %3, %base, dim = 1 : (tensor<2x2x3xf32>, tensor<2x2x3xf32>) -> tensor<2x4x3xf32>
//|     %5 = stablehlo.constant dense<0> : tensor<i32>
//|     %6 = stablehlo.constant dense<[2, 2, 1, 0]> : tensor<4xi32>
//|     %7 = stablehlo.dynamic_slice %6, %2, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
//|     %8 = stablehlo.reshape %7 : (tensor<1xi32>) -> tensor<i32>
//|     %9 = stablehlo.dynamic_slice %4, %5, %8, %5, sizes = [2, 2, 3] : (tensor<2x4x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x2x3xf32>
//|     %10 = stablehlo.convolution(%9, %window) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[2, 2]], lhs_dilate = [3], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x2x3xf32>, tensor<3x3x4xf32>) -> tensor<2x6x4xf32>
//|     %11 = stablehlo.constant dense<[2, 0, 1, 2]> : tensor<4xi32>
//|     %12 = stablehlo.dynamic_slice %11, %2, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
//|     %13 = stablehlo.reshape %12 : (tensor<1xi32>) -> tensor<i32>
//|     %0 = stablehlo.dynamic_slice %10, %5, %13, %5, sizes = [2, 4, 4] : (tensor<2x6x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x4xf32>
//|     return %0 : tensor<2x4x4xf32>
//|   }
//| }
//| --- equal devices=4
