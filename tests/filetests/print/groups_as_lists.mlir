// test print lists
// Axes of a mesh, also a part of one and in another order of devices, are written out; lists stay what they are.
sdy.mesh @m = <["x"=2, "y"=4], device_ids=[4, 5, 6, 7, 0, 1, 2, 3]>
func.func public @main(%a: tensor<4xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (2)2>]>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
  %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>):
    %2 = stablehlo.add %b, %c : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
//| module {
//|   sdy.mesh @m = <["x"=2, "y"=4], device_ids=[4, 5, 6, 7, 0, 1, 2, 3]>
//|   func.func public @main(%a: tensor<4xf32>) -> tensor<8xf32> {
//|     %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[4, 5], [6, 7], [0, 1], [2, 3]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
//|     %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[4, 0], [5, 1], [6, 2], [7, 3]]> : tensor<4x2xi64>, use_global_device_ids}> ({
//|     ^bb0(%b: tensor<f32>, %c: tensor<f32>):
//|       %2 = stablehlo.add %b, %c : tensor<f32>
//|       stablehlo.return %2 : tensor<f32>
//|     }) : (tensor<8xf32>) -> tensor<8xf32>
//|     return %1 : tensor<8xf32>
//|   }
//| }
