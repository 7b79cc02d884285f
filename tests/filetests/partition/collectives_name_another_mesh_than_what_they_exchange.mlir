// test partition priorities-alone
// test equal seeds=3
// Both meshes become one for the shardings: what was `y` of @mesh is `z` there. The collective's own axes stay as they
// are written, and must not be taken for axes of the same number.
module @case attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  sdy.mesh @other = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@other, [{}, {}]>}) -> tensor<1x2xf32> {
    %0 = stablehlo.slice %arg0 [1:2, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
    %1 = stablehlo.concatenate %0, %0, dim = 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x":(1)2}, {}]> : tensor<2x2xf32>
    %3:2 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{}, {}]>, <@mesh, [{"x"}, {}]>] manual_axes={"y"} (%arg1: tensor<1x2xf32>) {
      %4 = stablehlo.negate %arg1 : tensor<1x2xf32>
      %6 = "stablehlo.all_reduce"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %7 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %7 : tensor<f32>
      }) : (tensor<1x2xf32>) -> tensor<1x2xf32>
      sdy.return %6, %6 : tensor<1x2xf32>, tensor<1x2xf32>
    } : (tensor<2x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>)
    return %3#1 : tensor<1x2xf32>
  }
}
//| --- partition priorities-alone
//| module @case attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @mesh = <["x"=4, "y"=2]>
//|   sdy.mesh @other = <["x"=2, "y"=2, "z"=2]>
//|   func.func public @main(%arg0: tensor<2x2xf32>) -> tensor<1x2xf32> {
//|     %8 = stablehlo.partition_id : tensor<ui32>
//|     %9 = stablehlo.convert %8 : (tensor<ui32>) -> tensor<i32>
//|     %10 = stablehlo.constant dense<4> : tensor<i32>
//|     %11 = stablehlo.divide %9, %10 : tensor<i32>
//|     %12 = stablehlo.constant dense<2> : tensor<i32>
//|     %13 = stablehlo.divide %9, %12 : tensor<i32>
//|     %14 = stablehlo.remainder %13, %12 : tensor<i32>
//|     %15 = stablehlo.multiply %11, %12 : tensor<i32>
//|     %16 = stablehlo.add %15, %14 : tensor<i32>
//|     %0 = stablehlo.slice %arg0 [1:2, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
//|     %1 = stablehlo.concatenate %0, %0, dim = 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
//|     %17 = stablehlo.constant dense<0> : tensor<i32>
//|     %18 = stablehlo.dynamic_slice %1, %11, %17, sizes = [1, 2] : (tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
//|     %19 = "stablehlo.collective_permute"(%18) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 0], [1, 4], [2, 2], [3, 6], [4, 1], [5, 5], [6, 3], [7, 7]]> : tensor<8x2xi64>, use_global_device_ids}> : (tensor<1x2xf32>) -> tensor<1x2xf32>
//|     %20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %21 = stablehlo.pad %19, %20, low = [0, 0], high = [3, 0], interior = [0, 0] : (tensor<1x2xf32>, tensor<f32>) -> tensor<4x2xf32>
//|     %22 = stablehlo.dynamic_slice %21, %16, %17, sizes = [1, 2] : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
//|     %4 = stablehlo.negate %22 : tensor<1x2xf32>
//|     %6 = "stablehlo.all_reduce"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> ({
//|     ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
//|       %7 = stablehlo.add %arg2, %arg3 : tensor<f32>
//|       stablehlo.return %7 : tensor<f32>
//|     }) : (tensor<1x2xf32>) -> tensor<1x2xf32>
//|     %23 = "stablehlo.all_gather"(%6) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @other, axes = [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> : (tensor<1x2xf32>) -> tensor<4x2xf32>
//|     %24 = stablehlo.slice %23 [0:1, 0:2] : (tensor<4x2xf32>) -> tensor<1x2xf32>
//|     %25 = stablehlo.pad %24, %20, low = [0, 0], high = [3, 0], interior = [0, 0] : (tensor<1x2xf32>, tensor<f32>) -> tensor<4x2xf32>
//|     %26 = stablehlo.dynamic_slice %25, %16, %17, sizes = [1, 2] : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
//|     return %26 : tensor<1x2xf32>
//|   }
//| }
//| --- equal seeds=3
