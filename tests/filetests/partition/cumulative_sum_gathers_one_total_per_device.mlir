// test partition
// test equal devices=4
// Each device sums up its rows and adds what the rows before them come to. 10 rows in shards of 3: padding is at the end,
// where nobody looks, but a sum that runs backwards would meet it first.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%a, %zero) <{padding = dense<[[9, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 10, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<10x8xf32>, tensor<f32>) -> tensor<10x8xf32>
    %1 = "stablehlo.reduce_window"(%a, %zero) <{padding = dense<[[0, 9], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 10, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<10x8xf32>, tensor<f32>) -> tensor<10x8xf32>
    return %0, %1 : tensor<10x8xf32>, tensor<10x8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<3x8xf32>) -> (tensor<3x8xf32>, tensor<3x8xf32>) {
//|     %2 = stablehlo.partition_id : tensor<ui32>
//|     %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i32>
//|     %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %4 = stablehlo.iota dim = 0 : tensor<3x8xi32>
//|     %5 = stablehlo.constant dense<3> : tensor<i32>
//|     %6 = stablehlo.multiply %3, %5 : tensor<i32>
//|     %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i32>) -> tensor<3x8xi32>
//|     %8 = stablehlo.add %4, %7 : tensor<3x8xi32>
//|     %9 = stablehlo.constant dense<10> : tensor<3x8xi32>
//|     %10 = stablehlo.compare LT, %8, %9 : (tensor<3x8xi32>, tensor<3x8xi32>) -> tensor<3x8xi1>
//|     %11 = stablehlo.constant dense<0.000000e+00> : tensor<3x8xf32>
//|     %12 = stablehlo.select %10, %a, %11 : tensor<3x8xi1>, tensor<3x8xf32>
//|     %13 = stablehlo.reduce(%12 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3x8xf32>, tensor<f32>) -> tensor<8xf32>
//|     %14 = stablehlo.reshape %13 : (tensor<8xf32>) -> tensor<1x8xf32>
//|     %15 = "stablehlo.all_gather"(%14) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<1x8xf32>) -> tensor<4x8xf32>
//|     %16 = stablehlo.iota dim = 0 : tensor<4x8xi32>
//|     %17 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<4x8xi32>
//|     %18 = stablehlo.compare LT, %16, %17 : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi1>
//|     %19 = stablehlo.constant dense<0.000000e+00> : tensor<4x8xf32>
//|     %20 = stablehlo.select %18, %15, %19 : tensor<4x8xi1>, tensor<4x8xf32>
//|     %21 = stablehlo.reduce(%20 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
//|     %22 = "stablehlo.reduce_window"(%12, %zero) <{base_dilations = array<i64: 1, 1>, padding = dense<[[2, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 1, 1>}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %31 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %31 : tensor<f32>
//|     }) : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x8xf32>
//|     %23 = stablehlo.broadcast_in_dim %21, dims = [1] : (tensor<8xf32>) -> tensor<3x8xf32>
//|     %24 = stablehlo.add %22, %23 : tensor<3x8xf32>
//|     %0 = "stablehlo.reduce_window"(%24, %zero) <{base_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 1, 1>}> ({
//|     ^bb0(%x: tensor<f32>, %y: tensor<f32>):
//|       %s = stablehlo.add %x, %y : tensor<f32>
//|       stablehlo.return %s : tensor<f32>
//|     }) : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x8xf32>
//|     %25 = stablehlo.compare GT, %16, %17 : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi1>
//|     %26 = stablehlo.select %25, %15, %19 : tensor<4x8xi1>, tensor<4x8xf32>
//|     %27 = stablehlo.reduce(%26 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
//|     %28 = "stablehlo.reduce_window"(%12, %zero) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 2], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 1, 1>}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %31 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %31 : tensor<f32>
//|     }) : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x8xf32>
//|     %29 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<8xf32>) -> tensor<3x8xf32>
//|     %30 = stablehlo.add %28, %29 : tensor<3x8xf32>
//|     %1 = "stablehlo.reduce_window"(%30, %zero) <{base_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 1, 1>}> ({
//|     ^bb0(%x: tensor<f32>, %y: tensor<f32>):
//|       %s = stablehlo.add %x, %y : tensor<f32>
//|       stablehlo.return %s : tensor<f32>
//|     }) : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x8xf32>
//|     return %0, %1 : tensor<3x8xf32>, tensor<3x8xf32>
//|   }
//| }
//| --- equal devices=4
