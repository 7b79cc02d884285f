module @jit_sharding_three_axes_gspmd attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x4x4xf32> {mhlo.sharding = "{devices=[4,2,1]<=[2,2,2]T(0,2,1)}"}, %arg1: tensor<4x8xf32> {mhlo.sharding = "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}"}) -> (tensor<4x4x4xf32> {jax.result_info = "result[0]", mhlo.sharding = "{devices=[2,1,1,4]<=[8] last_tile_dim_replicate}"}, tensor<8x4x4xf32> {jax.result_info = "result[1]", mhlo.sharding = "{devices=[2,1,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4x4xf32>, tensor<4x8xf32>) -> tensor<4x4x8xf32>
    %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "", mhlo.sharding = "{devices=[2,2,2]<=[8]}"} : (tensor<4x4x8xf32>) -> tensor<4x4x8xf32>
    %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8xf32>, tensor<4x8xf32>) -> tensor<4x4x4xf32>
    %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "", mhlo.sharding = "{devices=[4,1,2]<=[2,2,2]T(0,2,1)}"} : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %4 = stablehlo.transpose %1, dims = [2, 0, 1] : (tensor<4x4x8xf32>) -> tensor<8x4x4xf32>
    %5 = stablehlo.custom_call @Sharding(%4) {backend_config = "", mhlo.sharding = "{devices=[2,1,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}"} : (tensor<8x4x4xf32>) -> tensor<8x4x4xf32>
    return %3, %5 : tensor<4x4x4xf32>, tensor<8x4x4xf32>
  }
}
