// test partition
// test equal devices=4
// GShard, Figure 13, case 3: stride 2 * 2 places, dilation 3. The interval is dilated first and the span cut out of it;
// no tap is added.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%base: tensor<2x7x3xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}, %window: tensor<3x3x4xf32>) -> (tensor<2x9x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}) {
    %0 = stablehlo.convolution(%base, %window) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[0, 1]], lhs_dilate = [3], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x3xf32>, tensor<3x3x4xf32>) -> tensor<2x9x4xf32>
    return %0 : tensor<2x9x4xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%base: tensor<2x2x3xf32>, %window: tensor<3x3x4xf32>) -> tensor<2x3x4xf32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %3 = stablehlo.slice %base [0:2, 0:1, 0:3] : (tensor<2x2x3xf32>) -> tensor<2x1x3xf32>
//|     %4 = "stablehlo.collective_permute"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 0], [2, 1], [3, 2]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
//|     %5 = stablehlo.concatenate %base, %4, dim = 1 : (tensor<2x2x3xf32>, tensor<2x1x3xf32>) -> tensor<2x3x3xf32>
//|     %6 = stablehlo.iota dim = 1 : tensor<2x3x3xi32>
//|     %7 = stablehlo.constant dense<2> : tensor<i32>
//|     %8 = stablehlo.multiply %2, %7 : tensor<i32>
//|     %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<i32>) -> tensor<2x3x3xi32>
//|     %10 = stablehlo.add %6, %9 : tensor<2x3x3xi32>
//|     %11 = stablehlo.constant dense<7> : tensor<2x3x3xi32>
//|     %12 = stablehlo.compare LT, %10, %11 : (tensor<2x3x3xi32>, tensor<2x3x3xi32>) -> tensor<2x3x3xi1>
//|     %13 = stablehlo.constant dense<0.000000e+00> : tensor<2x3x3xf32>
//|     %14 = stablehlo.select %12, %5, %13 : tensor<2x3x3xi1>, tensor<2x3x3xf32>
//|     %0 = stablehlo.convolution(%14, %window) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[0, 0]], lhs_dilate = [3], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x3xf32>, tensor<3x3x4xf32>) -> tensor<2x3x4xf32>
//|     return %0 : tensor<2x3x4xf32>
//|   }
//| }
//| --- equal devices=4
