module @jit_sharding_three_axes attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}, {name = "z", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<4x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "z"}, {"y"}, {}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z"}]>}) -> (tensor<4x4x4xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, tensor<8x4x4xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4x4xf32>, tensor<4x8xf32>) -> tensor<4x4x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {"y"}, {"z"}]> : tensor<4x4x8xf32>
    %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8xf32>, tensor<4x8xf32>) -> tensor<4x4x4xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"x", "z"}, {}, {"y"}]> : tensor<4x4x4xf32>
    %4 = stablehlo.transpose %1, dims = [2, 0, 1] : (tensor<4x4x8xf32>) -> tensor<8x4x4xf32>
    %5 = sdy.sharding_constraint %4 <@mesh, [{"z"}, {}, {}]> : tensor<8x4x4xf32>
    return %3, %5 : tensor<4x4x4xf32>, tensor<8x4x4xf32>
  }
}
