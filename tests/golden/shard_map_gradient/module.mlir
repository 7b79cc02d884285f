module @jit_shard_map_gradient attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x4xf32>, %arg1: tensor<4x4xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<4x4xf32> {jax.result_info = "result[1]"}) {
    %0:4 = sdy.manual_computation(%arg1, %arg0) in_shardings=[<@mesh, [{}, {"y"}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, []>] manual_axes={"x", "y"} (%arg2: tensor<4x2xf32>, %arg3: tensor<2x4xf32>) {
      %3 = stablehlo.dot_general %arg3, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
      %4 = stablehlo.tanh %3 : tensor<2x2xf32>
      %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %6 = stablehlo.subtract %5, %4 : tensor<2x2xf32>
      %7 = "stablehlo.all_gather"(%4) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<2x2xf32>) -> tensor<2x4xf32>
      %8 = stablehlo.multiply %7, %7 : tensor<2x4xf32>
      %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %10 = stablehlo.multiply %9, %7 : tensor<2x4xf32>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %11 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<f32>
      %12 = "stablehlo.all_reduce"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %13 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %13 : tensor<f32>
      }) : (tensor<f32>) -> tensor<f32>
      sdy.return %4, %6, %10, %12 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x4xf32>, tensor<f32>
    } : (tensor<4x4xf32>, tensor<8x4xf32>) -> (tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x4xf32>, tensor<f32>)
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %1 = stablehlo.divide %cst, %cst_0 : tensor<f32>
    %2 = sdy.manual_computation(%1, %arg0, %0#0, %0#1, %0#2) in_shardings=[<@mesh, []>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"x", "y"} (%arg2: tensor<f32>, %arg3: tensor<2x4xf32>, %arg4: tensor<2x2xf32>, %arg5: tensor<2x2xf32>, %arg6: tensor<2x4xf32>) {
      %3 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
        %13 = stablehlo.add %arg7, %arg8 : tensor<f32>
        stablehlo.return %13 : tensor<f32>
      }) : (tensor<f32>) -> tensor<f32>
      %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %5 = stablehlo.multiply %4, %arg6 : tensor<2x4xf32>
      %6 = "stablehlo.reduce_scatter"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
      ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
        %13 = stablehlo.add %arg7, %arg8 : tensor<f32>
        stablehlo.return %13 : tensor<f32>
      }) : (tensor<2x4xf32>) -> tensor<2x2xf32>
      %7 = stablehlo.multiply %6, %arg5 : tensor<2x2xf32>
      %8 = stablehlo.multiply %7, %arg4 : tensor<2x2xf32>
      %9 = stablehlo.add %7, %8 : tensor<2x2xf32>
      %10 = stablehlo.dot_general %9, %arg3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
      %11 = stablehlo.transpose %10, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
      %12 = "stablehlo.all_reduce"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
        %13 = stablehlo.add %arg7, %arg8 : tensor<f32>
        stablehlo.return %13 : tensor<f32>
      }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
      sdy.return %12 : tensor<4x2xf32>
    } : (tensor<f32>, tensor<8x4xf32>, tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
    return %0#3, %2 : tensor<f32>, tensor<4x4xf32>
  }
}
