// test partition
// test equal devices=4
// Windows of 3 by steps of 2 lie across shards of 9 of 33 rows: each device has all windows that touch its rows choose, and
// keeps what falls on them.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<33x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %slope: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<33x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.select_and_scatter"(%a, %slope, %zero) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }, {
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<33x8xf32>, tensor<16x8xf32>, tensor<f32>) -> tensor<33x8xf32>
    return %0 : tensor<33x8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<9x8xf32>, %slope: tensor<4x8xf32>) -> tensor<9x8xf32> {
//|     %2 = stablehlo.partition_id : tensor<ui32>
//|     %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i32>
//|     %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %4 = stablehlo.slice %a [7:9, 0:8] : (tensor<9x8xf32>) -> tensor<2x8xf32>
//|     %5 = "stablehlo.collective_permute"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
//|     %6 = stablehlo.slice %a [0:3, 0:8] : (tensor<9x8xf32>) -> tensor<3x8xf32>
//|     %7 = "stablehlo.collective_permute"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[1, 0], [2, 1], [3, 2]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<3x8xf32>) -> tensor<3x8xf32>
//|     %8 = stablehlo.concatenate %5, %a, %7, dim = 0 : (tensor<2x8xf32>, tensor<9x8xf32>, tensor<3x8xf32>) -> tensor<14x8xf32>
//|     %9 = stablehlo.constant dense<0> : tensor<i32>
//|     %10 = stablehlo.constant dense<[0, 1, 0, 1]> : tensor<4xi32>
//|     %11 = stablehlo.dynamic_slice %10, %3, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
//|     %12 = stablehlo.reshape %11 : (tensor<1xi32>) -> tensor<i32>
//|     %13 = stablehlo.dynamic_slice %8, %12, %9, sizes = [13, 8] : (tensor<14x8xf32>, tensor<i32>, tensor<i32>) -> tensor<13x8xf32>
//|     %14 = stablehlo.slice %slope [0:2, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
//|     %15 = "stablehlo.collective_permute"(%14) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, source_target_pairs = dense<[[1, 0], [2, 1], [3, 2]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
//|     %16 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<1x8xf32>
//|     %17 = stablehlo.concatenate %16, %slope, %15, %16, dim = 0 : (tensor<1x8xf32>, tensor<4x8xf32>, tensor<2x8xf32>, tensor<1x8xf32>) -> tensor<8x8xf32>
//|     %18 = stablehlo.constant dense<[0, 1, 1, 2]> : tensor<4xi32>
//|     %19 = stablehlo.dynamic_slice %18, %3, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
//|     %20 = stablehlo.reshape %19 : (tensor<1xi32>) -> tensor<i32>
//|     %21 = stablehlo.dynamic_slice %17, %20, %9, sizes = [6, 8] : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<6x8xf32>
//|     %22 = "stablehlo.select_and_scatter"(%13, %21, %zero) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}> ({
//|     ^bb0(%x: tensor<f32>, %y: tensor<f32>):
//|       %1 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
//|       stablehlo.return %1 : tensor<i1>
//|     }, {
//|     ^bb0(%x: tensor<f32>, %y: tensor<f32>):
//|       %1 = stablehlo.add %x, %y : tensor<f32>
//|       stablehlo.return %1 : tensor<f32>
//|     }) : (tensor<13x8xf32>, tensor<6x8xf32>, tensor<f32>) -> tensor<13x8xf32>
//|     %23 = stablehlo.constant dense<[2, 1, 2, 1]> : tensor<4xi32>
//|     %24 = stablehlo.dynamic_slice %23, %3, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
//|     %25 = stablehlo.reshape %24 : (tensor<1xi32>) -> tensor<i32>
//|     %0 = stablehlo.dynamic_slice %22, %25, %9, sizes = [9, 8] : (tensor<13x8xf32>, tensor<i32>, tensor<i32>) -> tensor<9x8xf32>
//|     return %0 : tensor<9x8xf32>
//|   }
//| }
//| --- equal devices=4
