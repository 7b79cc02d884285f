// test partition
// test equal devices=8
// The upper half of a dim over all devices: each device needs half a shard from afar, and each upper device serves two.
module {
  sdy.mesh @m = <["x"=8]>
  func.func public @main(%a: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = stablehlo.slice %a [16:32, 0:8] : (tensor<32x8xf32>) -> tensor<16x8xf32>
    return %0 : tensor<16x8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=8]>
//|   func.func public @main(%a: tensor<4x8xf32>) -> tensor<2x8xf32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %3 = stablehlo.slice %a [0:2, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
//|     %4 = "stablehlo.collective_permute"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[4, 0], [5, 2], [6, 4], [7, 6]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
//|     %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %6 = stablehlo.pad %4, %5, low = [0, 0], high = [2, 0], interior = [0, 0] : (tensor<2x8xf32>, tensor<f32>) -> tensor<4x8xf32>
//|     %7 = stablehlo.slice %a [2:4, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
//|     %8 = "stablehlo.collective_permute"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[4, 1], [5, 3], [6, 5], [7, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
//|     %9 = stablehlo.pad %8, %5, low = [2, 0], high = [0, 0], interior = [0, 0] : (tensor<2x8xf32>, tensor<f32>) -> tensor<4x8xf32>
//|     %10 = stablehlo.constant dense<[0, 1, 0, 1, 0, 1, 0, 1]> : tensor<8xi32>
//|     %11 = stablehlo.dynamic_slice %10, %2, sizes = [1] : (tensor<8xi32>, tensor<i32>) -> tensor<1xi32>
//|     %12 = stablehlo.reshape %11 : (tensor<1xi32>) -> tensor<i32>
//|     %13 = stablehlo.constant dense<1> : tensor<i32>
//|     %14 = stablehlo.compare EQ, %12, %13 : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|     %15 = stablehlo.select %14, %9, %6 : tensor<i1>, tensor<4x8xf32>
//|     %16 = stablehlo.constant dense<0> : tensor<i32>
//|     %17 = stablehlo.constant dense<[0, 2, 0, 2, 0, 2, 0, 2]> : tensor<8xi32>
//|     %18 = stablehlo.dynamic_slice %17, %2, sizes = [1] : (tensor<8xi32>, tensor<i32>) -> tensor<1xi32>
//|     %19 = stablehlo.reshape %18 : (tensor<1xi32>) -> tensor<i32>
//|     %0 = stablehlo.dynamic_slice %15, %19, %16, sizes = [2, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
//|     return %0 : tensor<2x8xf32>
//|   }
//| }
//| --- equal devices=8
