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
//|     %3 = "stablehlo.collective_permute"(%base) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
//|     %4 = stablehlo.slice %base [0:2, 0:1, 0:3] : (tensor<2x2x3xf32>) -> tensor<2x1x3xf32>
//|     %5 = "stablehlo.collective_permute"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
//|     %6 = stablehlo.concatenate %3, %base, %5, dim = 1 : (tensor<2x2x3xf32>, tensor<2x2x3xf32>, tensor<2x1x3xf32>) -> tensor<2x5x3xf32>
//|     %7 = stablehlo.constant dense<0> : tensor<i32>
//|     %8 = stablehlo.constant dense<[2, 1, 0, 0]> : tensor<4xi32>
//|     %9 = stablehlo.dynamic_slice %8, %2, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
//|     %10 = stablehlo.reshape %9 : (tensor<1xi32>) -> tensor<i32>
//|     %11 = stablehlo.dynamic_slice %6, %7, %10, %7, sizes = [2, 3, 3] : (tensor<2x5x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x3x3xf32>
//|     %12 = stablehlo.iota dim = 1 : tensor<2x3x3xi32>
//|     %13 = stablehlo.constant dense<[0, 1, 2, 4]> : tensor<4xi32>
//|     %14 = stablehlo.dynamic_slice %13, %2, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
//|     %15 = stablehlo.reshape %14 : (tensor<1xi32>) -> tensor<i32>
//|     %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<i32>) -> tensor<2x3x3xi32>
//|     %17 = stablehlo.add %12, %16 : tensor<2x3x3xi32>
//|     %18 = stablehlo.constant dense<6> : tensor<2x3x3xi32>
//|     %19 = stablehlo.compare LT, %17, %18 : (tensor<2x3x3xi32>, tensor<2x3x3xi32>) -> tensor<2x3x3xi1>
//|     %20 = stablehlo.constant dense<0.000000e+00> : tensor<2x3x3xf32>
//|     %21 = stablehlo.select %19, %11, %20 : tensor<2x3x3xi1>, tensor<2x3x3xf32>
//|     %22 = stablehlo.convolution(%21, %window) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[0, 1]], lhs_dilate = [3], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x3xf32>, tensor<3x3x4xf32>) -> tensor<2x6x4xf32>
//|     %23 = stablehlo.constant dense<[0, 1, 2, 0]> : tensor<4xi32>
//|     %24 = stablehlo.dynamic_slice %23, %2, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
//|     %25 = stablehlo.reshape %24 : (tensor<1xi32>) -> tensor<i32>
//|     %0 = stablehlo.dynamic_slice %22, %7, %25, %7, sizes = [2, 4, 4] : (tensor<2x6x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x4xf32>
//|     return %0 : tensor<2x4x4xf32>
//|   }
//| }
//| --- equal devices=4
