// test partition
// test equal devices=4
// Nine of 64 rows, over four: the last piece is empty, so its device is sent nothing.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<9x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = stablehlo.slice %a [0:9, 0:8] : (tensor<64x8xf32>) -> tensor<9x8xf32>
    return %0 : tensor<9x8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<16x8xf32>) -> tensor<3x8xf32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %3 = stablehlo.slice %a [6:9, 0:8] : (tensor<16x8xf32>) -> tensor<3x8xf32>
//|     %4 = "stablehlo.collective_permute"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<3x8xf32>) -> tensor<3x8xf32>
//|     %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %6 = stablehlo.pad %4, %5, low = [0, 0], high = [7, 0], interior = [0, 0] : (tensor<3x8xf32>, tensor<f32>) -> tensor<10x8xf32>
//|     %7 = stablehlo.slice %a [3:6, 0:8] : (tensor<16x8xf32>) -> tensor<3x8xf32>
//|     %8 = "stablehlo.collective_permute"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<3x8xf32>) -> tensor<3x8xf32>
//|     %9 = stablehlo.pad %8, %5, low = [3, 0], high = [10, 0], interior = [0, 0] : (tensor<3x8xf32>, tensor<f32>) -> tensor<16x8xf32>
//|     %10 = stablehlo.slice %a [0:3, 0:8] : (tensor<16x8xf32>) -> tensor<3x8xf32>
//|     %11 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<13x8xf32>
//|     %12 = stablehlo.concatenate %11, %6, %9, %10, dim = 0 : (tensor<13x8xf32>, tensor<10x8xf32>, tensor<16x8xf32>, tensor<3x8xf32>) -> tensor<42x8xf32>
//|     %13 = stablehlo.constant dense<0> : tensor<i32>
//|     %14 = stablehlo.constant dense<-13> : tensor<i32>
//|     %15 = stablehlo.multiply %2, %14 : tensor<i32>
//|     %16 = stablehlo.constant dense<39> : tensor<i32>
//|     %17 = stablehlo.add %15, %16 : tensor<i32>
//|     %0 = stablehlo.dynamic_slice %12, %17, %13, sizes = [3, 8] : (tensor<42x8xf32>, tensor<i32>, tensor<i32>) -> tensor<3x8xf32>
//|     return %0 : tensor<3x8xf32>
//|   }
//| }
//| --- equal devices=4
