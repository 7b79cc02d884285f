// test partition
// test equal devices=4 seeds=2
// GShard, Figure 13, case 3: eight places over four devices, so stride 2 * 2 places, which the dilation of 3 does not divide:
// every device starts at another place of the holes. The interval is dilated first and the span cut out of it; no tap is
// added. What is missing comes from the left.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%base: tensor<2x6x3xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}, %window: tensor<3x3x4xf32>) -> (tensor<2x8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}) {
    %0 = stablehlo.convolution(%base, %window) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[0, 1]], lhs_dilate = [3], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x3xf32>, tensor<3x3x4xf32>) -> tensor<2x8x4xf32>
    return %0 : tensor<2x8x4xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%base: tensor<2x2x3xf32>, %window: tensor<3x3x4xf32>) -> tensor<2x2x4xf32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %3 = "stablehlo.collective_permute"(%base) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 2], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
//|     %4 = stablehlo.concatenate %3, %base, dim = 1 : (tensor<2x2x3xf32>, tensor<2x2x3xf32>) -> tensor<2x4x3xf32>
//|     %5 = stablehlo.constant dense<0> : tensor<i32>
//|     %6 = stablehlo.constant dense<[2, 2, 1, 0]> : tensor<4xi32>
//|     %7 = stablehlo.dynamic_slice %6, %2, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
//|     %8 = stablehlo.reshape %7 : (tensor<1xi32>) -> tensor<i32>
//|     %9 = stablehlo.dynamic_slice %4, %5, %8, %5, sizes = [2, 2, 3] : (tensor<2x4x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x2x3xf32>
//|     %10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %11 = stablehlo.pad %9, %10, low = [0, 2, 0], high = [0, 1, 0], interior = [0, 2, 0] : (tensor<2x2x3xf32>, tensor<f32>) -> tensor<2x7x3xf32>
//|     %12 = stablehlo.constant dense<[2, 0, 1, 2]> : tensor<4xi32>
//|     %13 = stablehlo.dynamic_slice %12, %2, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
//|     %14 = stablehlo.reshape %13 : (tensor<1xi32>) -> tensor<i32>
//|     %15 = stablehlo.dynamic_slice %11, %5, %14, %5, sizes = [2, 5, 3] : (tensor<2x7x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x5x3xf32>
//|     %0 = stablehlo.convolution(%15, %window) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[0, 0]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x3xf32>, tensor<3x3x4xf32>) -> tensor<2x2x4xf32>
//|     return %0 : tensor<2x2x4xf32>
//|   }
//| }
//| --- equal devices=4 seeds=2
