module @jit_rng_bit_generator attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xui32>, %arg1: tensor<2xui32>) -> (tensor<4xui32> {jax.result_info = "result[0]"}, tensor<5xui32> {jax.result_info = "result[1]"}, tensor<4xui32> {jax.result_info = "result[2]"}, tensor<3x3xui32> {jax.result_info = "result[3]"}, tensor<4xui32> {jax.result_info = "result[4]"}, tensor<6xui32> {jax.result_info = "result[5]"}, tensor<4xui32> {jax.result_info = "result[6]"}, tensor<4xui8> {jax.result_info = "result[7]"}, tensor<4xui32> {jax.result_info = "result[8]"}, tensor<5xui16> {jax.result_info = "result[9]"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<4xui32>) -> tensor<2x2xui32>
    %1 = stablehlo.bitcast_convert %0 : (tensor<2x2xui32>) -> tensor<2xui64>
    %output_state, %output = stablehlo.rng_bit_generator %1, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
    %2 = stablehlo.bitcast_convert %output_state : (tensor<2xui64>) -> tensor<2x2xui32>
    %3 = stablehlo.reshape %2 : (tensor<2x2xui32>) -> tensor<4xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<2xui32>) -> tensor<2x2xui32>
    %5 = stablehlo.reshape %4 : (tensor<2x2xui32>) -> tensor<4xui32>
    %6 = stablehlo.reshape %5 : (tensor<4xui32>) -> tensor<2x2xui32>
    %7 = stablehlo.bitcast_convert %6 : (tensor<2x2xui32>) -> tensor<2xui64>
    %output_state_0, %output_1 = stablehlo.rng_bit_generator %7, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3xui32>)
    %8 = stablehlo.bitcast_convert %output_state_0 : (tensor<2xui64>) -> tensor<2x2xui32>
    %9 = stablehlo.reshape %8 : (tensor<2x2xui32>) -> tensor<4xui32>
    %10 = stablehlo.reshape %arg0 : (tensor<4xui32>) -> tensor<2x2xui32>
    %11 = stablehlo.bitcast_convert %10 : (tensor<2x2xui32>) -> tensor<2xui64>
    %output_state_2, %output_3 = stablehlo.rng_bit_generator %11, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui32>)
    %12 = stablehlo.bitcast_convert %output_state_2 : (tensor<2xui64>) -> tensor<2x2xui32>
    %13 = stablehlo.reshape %12 : (tensor<2x2xui32>) -> tensor<4xui32>
    %14 = stablehlo.reshape %arg0 : (tensor<4xui32>) -> tensor<2x2xui32>
    %15 = stablehlo.bitcast_convert %14 : (tensor<2x2xui32>) -> tensor<2xui64>
    %output_state_4, %output_5 = stablehlo.rng_bit_generator %15, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui8>)
    %16 = stablehlo.bitcast_convert %output_state_4 : (tensor<2xui64>) -> tensor<2x2xui32>
    %17 = stablehlo.reshape %16 : (tensor<2x2xui32>) -> tensor<4xui32>
    %18 = stablehlo.reshape %arg0 : (tensor<4xui32>) -> tensor<2x2xui32>
    %19 = stablehlo.bitcast_convert %18 : (tensor<2x2xui32>) -> tensor<2xui64>
    %output_state_6, %output_7 = stablehlo.rng_bit_generator %19, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui16>)
    %20 = stablehlo.bitcast_convert %output_state_6 : (tensor<2xui64>) -> tensor<2x2xui32>
    %21 = stablehlo.reshape %20 : (tensor<2x2xui32>) -> tensor<4xui32>
    return %3, %output, %9, %output_1, %13, %output_3, %17, %output_5, %21, %output_7 : tensor<4xui32>, tensor<5xui32>, tensor<4xui32>, tensor<3x3xui32>, tensor<4xui32>, tensor<6xui32>, tensor<4xui32>, tensor<4xui8>, tensor<4xui32>, tensor<5xui16>
  }
}
