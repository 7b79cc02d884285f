// test partition
// test equal devices=4
// Value and place of the largest element: each device finds its own, the four pairs are gathered and compared once more.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8xi32> {
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %place = stablehlo.iota dim = 0 : tensor<10x8xi32>
    %0:2 = stablehlo.reduce(%a init: %low), (%place init: %none) across dimensions = [0] : (tensor<10x8xf32>, tensor<10x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
     reducer(%v: tensor<f32>, %w: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>)  {
      %1 = stablehlo.compare GT, %v, %w : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %2 = stablehlo.compare EQ, %v, %w : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.and %2, %3 : tensor<i1>
      %5 = stablehlo.or %1, %4 : tensor<i1>
      %6 = stablehlo.select %1, %v, %w : tensor<i1>, tensor<f32>
      %7 = stablehlo.select %5, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %6, %7 : tensor<f32>, tensor<i32>
    }
    return %0#1 : tensor<8xi32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<3x8xf32>) -> tensor<8xi32> {
//|     %8 = stablehlo.partition_id : tensor<ui32>
//|     %9 = stablehlo.convert %8 : (tensor<ui32>) -> tensor<i32>
//|     %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
//|     %none = stablehlo.constant dense<0> : tensor<i32>
//|     %10 = stablehlo.iota dim = 0 : tensor<3x8xi32>
//|     %11 = stablehlo.constant dense<3> : tensor<i32>
//|     %12 = stablehlo.multiply %9, %11 : tensor<i32>
//|     %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<i32>) -> tensor<3x8xi32>
//|     %place = stablehlo.add %10, %13 : tensor<3x8xi32>
//|     %14 = stablehlo.constant dense<10> : tensor<3x8xi32>
//|     %15 = stablehlo.compare LT, %place, %14 : (tensor<3x8xi32>, tensor<3x8xi32>) -> tensor<3x8xi1>
//|     %16 = stablehlo.broadcast_in_dim %low, dims = [] : (tensor<f32>) -> tensor<3x8xf32>
//|     %17 = stablehlo.select %15, %a, %16 : tensor<3x8xi1>, tensor<3x8xf32>
//|     %18 = stablehlo.broadcast_in_dim %none, dims = [] : (tensor<i32>) -> tensor<3x8xi32>
//|     %19 = stablehlo.select %15, %place, %18 : tensor<3x8xi1>, tensor<3x8xi32>
//|     %20:2 = stablehlo.reduce(%17 init: %low), (%19 init: %none) across dimensions = [0] : (tensor<3x8xf32>, tensor<3x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
//|      reducer(%v: tensor<f32>, %w: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>)  {
//|       %1 = stablehlo.compare GT, %v, %w : (tensor<f32>, tensor<f32>) -> tensor<i1>
//|       %2 = stablehlo.compare EQ, %v, %w : (tensor<f32>, tensor<f32>) -> tensor<i1>
//|       %3 = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|       %4 = stablehlo.and %2, %3 : tensor<i1>
//|       %5 = stablehlo.or %1, %4 : tensor<i1>
//|       %6 = stablehlo.select %1, %v, %w : tensor<i1>, tensor<f32>
//|       %7 = stablehlo.select %5, %i, %j : tensor<i1>, tensor<i32>
//|       stablehlo.return %6, %7 : tensor<f32>, tensor<i32>
//|     }
//|     %21 = stablehlo.reshape %20#0 : (tensor<8xf32>) -> tensor<1x8xf32>
//|     %22 = "stablehlo.all_gather"(%21) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<1x8xf32>) -> tensor<4x8xf32>
//|     %23 = stablehlo.reshape %20#1 : (tensor<8xi32>) -> tensor<1x8xi32>
//|     %24 = "stablehlo.all_gather"(%23) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<1x8xi32>) -> tensor<4x8xi32>
//|     %25:2 = stablehlo.reduce(%22 init: %low), (%24 init: %none) across dimensions = [0] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
//|      reducer(%arg0: tensor<f32>, %arg2: tensor<f32>) (%arg1: tensor<i32>, %arg3: tensor<i32>)  {
//|       %26 = stablehlo.compare GT, %arg0, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
//|       %27 = stablehlo.compare EQ, %arg0, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
//|       %28 = stablehlo.compare LT, %arg1, %arg3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|       %29 = stablehlo.and %27, %28 : tensor<i1>
//|       %30 = stablehlo.or %26, %29 : tensor<i1>
//|       %31 = stablehlo.select %26, %arg0, %arg2 : tensor<i1>, tensor<f32>
//|       %32 = stablehlo.select %30, %arg1, %arg3 : tensor<i1>, tensor<i32>
//|       stablehlo.return %31, %32 : tensor<f32>, tensor<i32>
//|     }
//|     return %25#1 : tensor<8xi32>
//|   }
//| }
//| --- equal devices=4
