module @jit_cond_switch attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<4xf32>) -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<4xf32> {jax.result_info = "result[1]"}, tensor<f32> {jax.result_info = "result[2][0]"}, tensor<4xf32> {jax.result_info = "result[2][1]"}, tensor<4xf32> {jax.result_info = "result[3]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare GT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %1 = stablehlo.convert %0 : (tensor<i1>) -> tensor<i32>
    %2 = "stablehlo.case"(%1) ({
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %12 = stablehlo.multiply %arg2, %11 : tensor<4xf32>
      stablehlo.return %12 : tensor<4xf32>
    }, {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %12 = stablehlo.add %arg2, %11 : tensor<4xf32>
      stablehlo.return %12 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %3 = stablehlo.clamp %c_0, %arg0, %c_1 : tensor<i32>
    %4 = "stablehlo.case"(%3) ({
      stablehlo.return %arg2 : tensor<4xf32>
    }, {
      %11 = stablehlo.negate %arg2 : tensor<4xf32>
      stablehlo.return %11 : tensor<4xf32>
    }, {
      %11 = stablehlo.multiply %arg2, %arg2 : tensor<4xf32>
      stablehlo.return %11 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare EQ, %arg0, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.convert %5 : (tensor<i1>) -> tensor<i32>
    %7:2 = "stablehlo.case"(%6) ({
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %11 = stablehlo.reduce(%arg2 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      %12 = stablehlo.reverse %arg2, dims = [0] : tensor<4xf32>
      stablehlo.return %11, %12 : tensor<f32>, tensor<4xf32>
    }, {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %11 = stablehlo.reduce(%arg2 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %11, %arg2 : tensor<f32>, tensor<4xf32>
    }) : (tensor<i32>) -> (tensor<f32>, tensor<4xf32>)
    %c_3 = stablehlo.constant dense<9> : tensor<i32>
    %8 = stablehlo.add %arg0, %c_3 : tensor<i32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %c_5 = stablehlo.constant dense<1> : tensor<i32>
    %9 = stablehlo.clamp %c_4, %8, %c_5 : tensor<i32>
    %10 = "stablehlo.case"(%9) ({
      stablehlo.return %arg2 : tensor<4xf32>
    }, {
      %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
      %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %12 = stablehlo.add %arg2, %11 : tensor<4xf32>
      stablehlo.return %12 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    return %2, %4, %7#0, %7#1, %10 : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>
  }
}
