module @jit_triangular_systems attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4x4xf64>, %arg1: tensor<3x4x2xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi64>
    %1 = stablehlo.iota dim = 1 : tensor<4x4xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4x4xi64>
    %3 = stablehlo.add %0, %2 : tensor<4x4xi64>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<4x4xi64>, tensor<4x4xi64>) -> tensor<4x4xi1>
    %5 = stablehlo.convert %4 : (tensor<4x4xi1>) -> tensor<4x4xf64>
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x4xf64>
    %7 = stablehlo.multiply %6, %5 : tensor<4x4xf64>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1, 2] : (tensor<4x4xf64>) -> tensor<1x4x4xf64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x4x4xf64>) -> tensor<3x4x4xf64>
    %10 = stablehlo.add %arg0, %9 : tensor<3x4x4xf64>
    %11 = "stablehlo.triangular_solve"(%10, %arg1) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<3x4x4xf64>, tensor<3x4x2xf64>) -> tensor<3x4x2xf64>
    %12 = stablehlo.transpose %arg1, dims = [0, 2, 1] : (tensor<3x4x2xf64>) -> tensor<3x2x4xf64>
    %13 = "stablehlo.triangular_solve"(%10, %12) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<3x4x4xf64>, tensor<3x2x4xf64>) -> tensor<3x2x4xf64>
    %14 = stablehlo.multiply %11, %11 : tensor<3x4x2xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %15 = stablehlo.reduce(%14 init: %cst_0) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x4x2xf64>, tensor<f64>) -> tensor<f64>
    %16 = stablehlo.sine %13 : tensor<3x2x4xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %17 = stablehlo.reduce(%16 init: %cst_1) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x2x4xf64>, tensor<f64>) -> tensor<f64>
    %18 = stablehlo.add %15, %17 : tensor<f64>
    return %18 : tensor<f64>
  }
}
