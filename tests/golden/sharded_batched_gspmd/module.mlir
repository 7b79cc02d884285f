module @jit_sharded_batched_gspmd attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x8x4xf32>) -> (tensor<3x8x2xf32> {jax.result_info = "result[0]"}, tensor<3x8x4xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[1,4,2]<=[8]}"} : (tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<3x8x4xf32>) -> tensor<3x2x2xf32>
    %2 = call @shmap_body(%1) : (tensor<3x2x2xf32>) -> tensor<3x2x2xf32>
    %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<3x2x2xf32>) -> tensor<3x2x2xf32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "", mhlo.sharding = "{devices=[1,4,1,2]<=[8] last_tile_dim_replicate}"} : (tensor<3x2x2xf32>) -> tensor<3x8x2xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x8x4xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<3x8x4xf32>
    %7 = stablehlo.custom_call @Sharding(%6) {backend_config = "unspecified_dims=[0]", mhlo.sharding = "{devices=[1,4,1,2]<=[8] last_tile_dim_replicate}"} : (tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x8x4xf32>
    %9 = stablehlo.multiply %7, %8 : tensor<3x8x4xf32>
    return %4, %9 : tensor<3x8x2xf32>, tensor<3x8x4xf32>
  }
  func.func private @shmap_body(%arg0: tensor<3x2x2xf32>) -> (tensor<3x2x2xf32> {jax.result_info = "[None, ('x',), None]"}) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x2x2xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<3x2x2xf32>
    %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %10 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }) : (tensor<3x2x2xf32>) -> tensor<3x2x2xf32>
    %c = stablehlo.constant dense<2> : tensor<ui32>
    %c_0 = stablehlo.constant dense<4> : tensor<ui32>
    %3 = stablehlo.partition_id : tensor<ui32>
    %4 = stablehlo.divide %3, %c : tensor<ui32>
    %5 = stablehlo.remainder %4, %c_0 : tensor<ui32>
    %6 = stablehlo.convert %5 : (tensor<ui32>) -> tensor<i32>
    %7 = stablehlo.convert %6 : (tensor<i32>) -> tensor<f32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<3x2x2xf32>
    %9 = stablehlo.add %2, %8 : tensor<3x2x2xf32>
    return %9 : tensor<3x2x2xf32>
  }
}
