// test partition
// test equal devices=4
// Of each operand a device fetches what falls into its part of the result; positions say which operand is whose.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<20x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<8x8xf32>, tensor<12x8xf32>) -> tensor<20x8xf32>
    return %0 : tensor<20x8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<2x8xf32>, %b: tensor<3x8xf32>) -> tensor<5x8xf32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %3 = "stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 0], [2, 1]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
//|     %4 = "stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[2, 0], [3, 1]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
//|     %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<3x8xf32>
//|     %7 = stablehlo.concatenate %a, %3, %4, %6, dim = 0 : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<9x8xf32>
//|     %8 = stablehlo.constant dense<0> : tensor<i32>
//|     %9 = stablehlo.constant dense<[0, 3, 4, 2]> : tensor<4xi32>
//|     %10 = stablehlo.dynamic_slice %9, %2, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
//|     %11 = stablehlo.reshape %10 : (tensor<1xi32>) -> tensor<i32>
//|     %12 = stablehlo.dynamic_slice %7, %11, %8, sizes = [5, 8] : (tensor<9x8xf32>, tensor<i32>, tensor<i32>) -> tensor<5x8xf32>
//|     %13 = stablehlo.slice %b [2:3, 0:8] : (tensor<3x8xf32>) -> tensor<1x8xf32>
//|     %14 = "stablehlo.collective_permute"(%13) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, source_target_pairs = dense<[[0, 2]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<1x8xf32>) -> tensor<1x8xf32>
//|     %15 = "stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<3x8xf32>) -> tensor<3x8xf32>
//|     %16 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
//|     %17 = stablehlo.concatenate %16, %14, %15, %b, dim = 0 : (tensor<2x8xf32>, tensor<1x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<9x8xf32>
//|     %18 = stablehlo.constant dense<[1, 0, 2, 4]> : tensor<4xi32>
//|     %19 = stablehlo.dynamic_slice %18, %2, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
//|     %20 = stablehlo.reshape %19 : (tensor<1xi32>) -> tensor<i32>
//|     %21 = stablehlo.dynamic_slice %17, %20, %8, sizes = [5, 8] : (tensor<9x8xf32>, tensor<i32>, tensor<i32>) -> tensor<5x8xf32>
//|     %22 = stablehlo.iota dim = 0 : tensor<5x8xi32>
//|     %23 = stablehlo.constant dense<5> : tensor<i32>
//|     %24 = stablehlo.multiply %2, %23 : tensor<i32>
//|     %25 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<i32>) -> tensor<5x8xi32>
//|     %26 = stablehlo.add %22, %25 : tensor<5x8xi32>
//|     %27 = stablehlo.constant dense<8> : tensor<5x8xi32>
//|     %28 = stablehlo.compare GE, %26, %27 : (tensor<5x8xi32>, tensor<5x8xi32>) -> tensor<5x8xi1>
//|     %0 = stablehlo.select %28, %21, %12 : tensor<5x8xi1>, tensor<5x8xf32>
//|     return %0 : tensor<5x8xf32>
//|   }
//| }
//| --- equal devices=4
