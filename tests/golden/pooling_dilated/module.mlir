module @jit_pooling_dilated attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7x6xf32>, %arg1: tensor<7x6xi32>) -> (tensor<14x3xf32> {jax.result_info = "result[0]"}, tensor<7x2xf32> {jax.result_info = "result[1]"}, tensor<6x6xi32> {jax.result_info = "result[2]"}, tensor<8x2xf32> {jax.result_info = "result[3]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %6 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) : (tensor<7x6xf32>, tensor<f32>) -> tensor<14x3xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<f32>
    %3 = "stablehlo.reduce_window"(%arg0, %2) <{base_dilations = array<i64: 1, 1>, padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, window_dilations = array<i64: 2, 2>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %6 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) : (tensor<7x6xf32>, tensor<f32>) -> tensor<7x2xf32>
    %c = stablehlo.constant dense<-100> : tensor<i32>
    %4 = "stablehlo.reduce_window"(%arg1, %c) <{base_dilations = array<i64: 1, 2>, padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, window_dilations = array<i64: 3, 1>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %6 = stablehlo.maximum %arg2, %arg3 : tensor<i32>
      stablehlo.return %6 : tensor<i32>
    }) : (tensor<7x6xi32>, tensor<i32>) -> tensor<6x6xi32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = "stablehlo.reduce_window"(%arg0, %cst_1) <{base_dilations = array<i64: 1, 1>, padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 2>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %6 = stablehlo.multiply %arg2, %arg3 : tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.multiply %cst_2, %arg2 : tensor<f32>
      %8 = stablehlo.add %6, %7 : tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }) : (tensor<7x6xf32>, tensor<f32>) -> tensor<8x2xf32>
    return %1, %3, %4, %5 : tensor<14x3xf32>, tensor<7x2xf32>, tensor<6x6xi32>, tensor<8x2xf32>
  }
}
