module @jit_sharded_batched attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<3x8x4xf32>) -> (tensor<3x8x2xf32> {jax.result_info = "result[0]"}, tensor<3x8x4xf32> {jax.result_info = "result[1]"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}, {"x"}, {"y"}]>] out_shardings=[<@mesh, [{}, {"x"}, {}]>] manual_axes={"x", "y"} (%arg1: tensor<3x2x2xf32>) {
      %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x2x2xf32>
      %7 = stablehlo.multiply %arg1, %6 : tensor<3x2x2xf32>
      %8 = "stablehlo.all_reduce"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %16 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %16 : tensor<f32>
      }) : (tensor<3x2x2xf32>) -> tensor<3x2x2xf32>
      %c = stablehlo.constant dense<2> : tensor<ui32>
      %c_2 = stablehlo.constant dense<4> : tensor<ui32>
      %9 = stablehlo.partition_id : tensor<ui32>
      %10 = stablehlo.divide %9, %c : tensor<ui32>
      %11 = stablehlo.remainder %10, %c_2 : tensor<ui32>
      %12 = stablehlo.convert %11 : (tensor<ui32>) -> tensor<i32>
      %13 = stablehlo.convert %12 : (tensor<i32>) -> tensor<f32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<3x2x2xf32>
      %15 = stablehlo.add %8, %14 : tensor<3x2x2xf32>
      sdy.return %15 : tensor<3x2x2xf32>
    } : (tensor<3x8x4xf32>) -> tensor<3x8x2xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x8x4xf32>
    %2 = stablehlo.add %arg0, %1 : tensor<3x8x4xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{?}, {"x"}, {}]> : tensor<3x8x4xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x8x4xf32>
    %5 = stablehlo.multiply %3, %4 : tensor<3x8x4xf32>
    return %0, %5 : tensor<3x8x2xf32>, tensor<3x8x4xf32>
  }
}
