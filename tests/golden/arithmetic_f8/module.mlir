module @jit_arithmetic_f8 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf8E4M3FN>, %arg1: tensor<4x3xf8E5M2>, %arg2: tensor<3x4xf8E4M3FN>) -> (tensor<3x4xf8E4M3FN> {jax.result_info = "result[0]"}, tensor<3x4xf8E4M3FN> {jax.result_info = "result[1]"}, tensor<3x4xf8E4M3FN> {jax.result_info = "result[2]"}, tensor<3x3xf32> {jax.result_info = "result[3]"}, tensor<3x4xi1> {jax.result_info = "result[4]"}, tensor<3x4xf8E4M3FN> {jax.result_info = "result[5]"}, tensor<3x4xbf16> {jax.result_info = "result[6]"}, tensor<3x4xf8E5M2> {jax.result_info = "result[7]"}, tensor<3x4xf8E4M3FN> {jax.result_info = "result[8]"}) {
    %0 = stablehlo.add %arg0, %arg2 : tensor<3x4xf8E4M3FN>
    %1 = stablehlo.multiply %arg0, %arg2 : tensor<3x4xf8E4M3FN>
    %2 = stablehlo.maximum %arg0, %arg2 : tensor<3x4xf8E4M3FN>
    %3 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xf8E4M3FN>, tensor<4x3xf8E5M2>) -> tensor<3x3xf32>
    %4 = stablehlo.compare LT, %arg0, %arg2, FLOAT : (tensor<3x4xf8E4M3FN>, tensor<3x4xf8E4M3FN>) -> tensor<3x4xi1>
    %5 = stablehlo.negate %arg0 : tensor<3x4xf8E4M3FN>
    %6 = stablehlo.convert %arg0 : (tensor<3x4xf8E4M3FN>) -> tensor<3x4xbf16>
    %7 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<4x3xf8E5M2>) -> tensor<3x4xf8E5M2>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f8E4M3FN>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f8E4M3FN>) -> tensor<3x4xf8E4M3FN>
    %9 = stablehlo.compare GT, %arg0, %8, FLOAT : (tensor<3x4xf8E4M3FN>, tensor<3x4xf8E4M3FN>) -> tensor<3x4xi1>
    %10 = call @_where(%9, %arg0, %arg2) : (tensor<3x4xi1>, tensor<3x4xf8E4M3FN>, tensor<3x4xf8E4M3FN>) -> tensor<3x4xf8E4M3FN>
    return %0, %1, %2, %3, %4, %5, %6, %7, %10 : tensor<3x4xf8E4M3FN>, tensor<3x4xf8E4M3FN>, tensor<3x4xf8E4M3FN>, tensor<3x3xf32>, tensor<3x4xi1>, tensor<3x4xf8E4M3FN>, tensor<3x4xbf16>, tensor<3x4xf8E5M2>, tensor<3x4xf8E4M3FN>
  }
  func.func private @_where(%arg0: tensor<3x4xi1>, %arg1: tensor<3x4xf8E4M3FN>, %arg2: tensor<3x4xf8E4M3FN>) -> tensor<3x4xf8E4M3FN> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3x4xi1>, tensor<3x4xf8E4M3FN>
    return %0 : tensor<3x4xf8E4M3FN>
  }
}
