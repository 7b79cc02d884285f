// test partition
// test equal devices=4
// 10 elements in shards of 3: the mirrored interval lies across two shards. Padding stays at the end.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = stablehlo.reverse %a, dims = [0] : tensor<10x8xf32>
    return %0 : tensor<10x8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<3x8xf32>) -> tensor<3x8xf32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %3 = stablehlo.slice %a [1:3, 0:8] : (tensor<3x8xf32>) -> tensor<2x8xf32>
//|     %4 = "stablehlo.collective_permute"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [1, 1], [2, 0]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
//|     %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %6 = stablehlo.pad %4, %5, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<2x8xf32>, tensor<f32>) -> tensor<3x8xf32>
//|     %7 = stablehlo.slice %a [0:1, 0:8] : (tensor<3x8xf32>) -> tensor<1x8xf32>
//|     %8 = "stablehlo.collective_permute"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 3]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<1x8xf32>) -> tensor<1x8xf32>
//|     %9 = stablehlo.pad %8, %5, low = [0, 0], high = [2, 0], interior = [0, 0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<3x8xf32>
//|     %10 = stablehlo.constant dense<[0, 0, 0, 1]> : tensor<4xi32>
//|     %11 = stablehlo.dynamic_slice %10, %2, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
//|     %12 = stablehlo.reshape %11 : (tensor<1xi32>) -> tensor<i32>
//|     %13 = stablehlo.constant dense<1> : tensor<i32>
//|     %14 = stablehlo.compare EQ, %12, %13 : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|     %15 = stablehlo.select %14, %9, %6 : tensor<i1>, tensor<3x8xf32>
//|     %16 = "stablehlo.collective_permute"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, source_target_pairs = dense<[[1, 2], [2, 1], [3, 0]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<1x8xf32>) -> tensor<1x8xf32>
//|     %17 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
//|     %18 = stablehlo.concatenate %17, %15, %16, dim = 0 : (tensor<2x8xf32>, tensor<3x8xf32>, tensor<1x8xf32>) -> tensor<6x8xf32>
//|     %19 = stablehlo.constant dense<0> : tensor<i32>
//|     %20 = stablehlo.constant dense<[3, 3, 3, 0]> : tensor<4xi32>
//|     %21 = stablehlo.dynamic_slice %20, %2, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
//|     %22 = stablehlo.reshape %21 : (tensor<1xi32>) -> tensor<i32>
//|     %23 = stablehlo.dynamic_slice %18, %22, %19, sizes = [3, 8] : (tensor<6x8xf32>, tensor<i32>, tensor<i32>) -> tensor<3x8xf32>
//|     %0 = stablehlo.reverse %23, dims = [0] : tensor<3x8xf32>
//|     return %0 : tensor<3x8xf32>
//|   }
//| }
//| --- equal devices=4
