// test partition
// test equal devices=4
// GSPMD, Figure 5b: what is cut off or added at the front moves every boundary; only what crosses one is sent.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<f32>) -> (tensor<14x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<18x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = stablehlo.slice %a [1:15, 0:8] : (tensor<16x8xf32>) -> tensor<14x8xf32>
    %1 = stablehlo.pad %a, %b, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<16x8xf32>, tensor<f32>) -> tensor<18x8xf32>
    return %0, %1 : tensor<14x8xf32>, tensor<18x8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<4x8xf32>, %b: tensor<f32>) -> (tensor<4x8xf32>, tensor<5x8xf32>) {
//|     %2 = stablehlo.partition_id : tensor<ui32>
//|     %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i32>
//|     %4 = stablehlo.slice %a [1:4, 0:8] : (tensor<4x8xf32>) -> tensor<3x8xf32>
//|     %5 = stablehlo.slice %a [0:1, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
//|     %6 = "stablehlo.collective_permute"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 0], [2, 1], [3, 2]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<1x8xf32>) -> tensor<1x8xf32>
//|     %0 = stablehlo.concatenate %4, %6, dim = 0 : (tensor<3x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
//|     %7 = stablehlo.slice %a [0:2, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
//|     %8 = "stablehlo.collective_permute"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[2, 1], [3, 2]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
//|     %9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f32>) -> tensor<1x8xf32>
//|     %11 = stablehlo.concatenate %10, %a, %8, %10, dim = 0 : (tensor<1x8xf32>, tensor<4x8xf32>, tensor<2x8xf32>, tensor<1x8xf32>) -> tensor<8x8xf32>
//|     %12 = stablehlo.constant dense<0> : tensor<i32>
//|     %13 = stablehlo.dynamic_slice %11, %3, %12, sizes = [5, 8] : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<5x8xf32>
//|     %14 = stablehlo.iota dim = 0 : tensor<5x8xi32>
//|     %15 = stablehlo.constant dense<5> : tensor<i32>
//|     %16 = stablehlo.multiply %3, %15 : tensor<i32>
//|     %17 = stablehlo.constant dense<-1> : tensor<i32>
//|     %18 = stablehlo.add %16, %17 : tensor<i32>
//|     %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<i32>) -> tensor<5x8xi32>
//|     %20 = stablehlo.add %14, %19 : tensor<5x8xi32>
//|     %21 = stablehlo.constant dense<0> : tensor<5x8xi32>
//|     %22 = stablehlo.compare GE, %20, %21 : (tensor<5x8xi32>, tensor<5x8xi32>) -> tensor<5x8xi1>
//|     %23 = stablehlo.constant dense<16> : tensor<5x8xi32>
//|     %24 = stablehlo.compare LT, %20, %23 : (tensor<5x8xi32>, tensor<5x8xi32>) -> tensor<5x8xi1>
//|     %25 = stablehlo.and %22, %24 : tensor<5x8xi1>
//|     %26 = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
//|     %1 = stablehlo.select %25, %13, %26 : tensor<5x8xi1>, tensor<5x8xf32>
//|     return %0, %1 : tensor<4x8xf32>, tensor<5x8xf32>
//|   }
//| }
//| --- equal devices=4
