module @jit_rng_bit_generator_64 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xui64>, %arg1: tensor<2xui64>) -> (tensor<4xui32> {jax.result_info = "result[0]"}, tensor<5xui64> {jax.result_info = "result[1]"}, tensor<4xui32> {jax.result_info = "result[2]"}, tensor<3xui32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.slice %arg0 [0:2] : (tensor<3xui64>) -> tensor<2xui64>
    %1 = stablehlo.bitcast_convert %0 : (tensor<2xui64>) -> tensor<2x2xui32>
    %2 = stablehlo.reshape %1 : (tensor<2x2xui32>) -> tensor<4xui32>
    %3 = stablehlo.reshape %2 : (tensor<4xui32>) -> tensor<2x2xui32>
    %4 = stablehlo.bitcast_convert %3 : (tensor<2x2xui32>) -> tensor<2xui64>
    %output_state, %output = stablehlo.rng_bit_generator %4, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui64>)
    %5 = stablehlo.bitcast_convert %output_state : (tensor<2xui64>) -> tensor<2x2xui32>
    %6 = stablehlo.reshape %5 : (tensor<2x2xui32>) -> tensor<4xui32>
    %7 = stablehlo.bitcast_convert %arg1 : (tensor<2xui64>) -> tensor<2x2xui32>
    %8 = stablehlo.reshape %7 : (tensor<2x2xui32>) -> tensor<4xui32>
    %9 = stablehlo.reshape %8 : (tensor<4xui32>) -> tensor<2x2xui32>
    %10 = stablehlo.bitcast_convert %9 : (tensor<2x2xui32>) -> tensor<2xui64>
    %output_state_0, %output_1 = stablehlo.rng_bit_generator %10, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
    %11 = stablehlo.bitcast_convert %output_state_0 : (tensor<2xui64>) -> tensor<2x2xui32>
    %12 = stablehlo.reshape %11 : (tensor<2x2xui32>) -> tensor<4xui32>
    return %6, %output, %12, %output_1 : tensor<4xui32>, tensor<5xui64>, tensor<4xui32>, tensor<3xui32>
  }
}
