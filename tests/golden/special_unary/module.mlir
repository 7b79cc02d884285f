module @jit_special_unary attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<10xf32>) -> (tensor<10xf32> {jax.result_info = "result[0]"}, tensor<10xf32> {jax.result_info = "result[1]"}, tensor<10xf32> {jax.result_info = "result[2]"}, tensor<10xf32> {jax.result_info = "result[3]"}, tensor<10xi1> {jax.result_info = "result[4]"}, tensor<10xf32> {jax.result_info = "result[5]"}, tensor<10xf32> {jax.result_info = "result[6]"}, tensor<10xf32> {jax.result_info = "result[7]"}, tensor<10xf32> {jax.result_info = "result[8]"}, tensor<10xf32> {jax.result_info = "result[9]"}, tensor<10xf32> {jax.result_info = "result[10]"}, tensor<10xf32> {jax.result_info = "result[11]"}, tensor<10xf32> {jax.result_info = "result[12]"}, tensor<10xi1> {jax.result_info = "result[13]"}, tensor<10xi1> {jax.result_info = "result[14]"}, tensor<10xi1> {jax.result_info = "result[15]"}, tensor<10xf32> {jax.result_info = "result[16]"}) {
    %0 = stablehlo.abs %arg0 : tensor<10xf32>
    %1 = stablehlo.negate %arg0 : tensor<10xf32>
    %2 = stablehlo.sign %arg0 : tensor<10xf32>
    %3 = stablehlo.floor %arg0 : tensor<10xf32>
    %4 = stablehlo.is_finite %arg0 : (tensor<10xf32>) -> tensor<10xi1>
    %5 = stablehlo.sqrt %arg0 : tensor<10xf32>
    %6 = stablehlo.exponential %arg0 : tensor<10xf32>
    %7 = stablehlo.log %arg0 : tensor<10xf32>
    %8 = stablehlo.tanh %arg0 : tensor<10xf32>
    %9 = stablehlo.rsqrt %arg0 : tensor<10xf32>
    %10 = stablehlo.cbrt %arg0 : tensor<10xf32>
    %11 = stablehlo.log_plus_one %arg0 : tensor<10xf32>
    %12 = stablehlo.exponential_minus_one %arg0 : tensor<10xf32>
    %13 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
    %14 = call @isinf(%arg0) : (tensor<10xf32>) -> tensor<10xi1>
    %15 = call @signbit(%arg0) : (tensor<10xf32>) -> tensor<10xi1>
    %16 = call @nan_to_num(%arg0) : (tensor<10xf32>) -> tensor<10xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16 : tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xi1>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xi1>, tensor<10xi1>, tensor<10xi1>, tensor<10xf32>
  }
  func.func private @isinf(%arg0: tensor<10xf32>) -> tensor<10xi1> {
    %0 = stablehlo.abs %arg0 : tensor<10xf32>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %2 = stablehlo.compare EQ, %0, %1, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
    return %2 : tensor<10xi1>
  }
  func.func private @signbit(%arg0: tensor<10xf32>) -> tensor<10xi1> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<10xf32>) -> tensor<10xi32>
    %c = stablehlo.constant dense<31> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %2 = stablehlo.shift_right_arithmetic %0, %1 : tensor<10xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %4 = stablehlo.compare NE, %2, %3, SIGNED : (tensor<10xi32>, tensor<10xi32>) -> tensor<10xi1>
    %5 = stablehlo.convert %4 : tensor<10xi1>
    return %5 : tensor<10xi1>
  }
  func.func private @nan_to_num(%arg0: tensor<10xf32>) -> tensor<10xf32> {
    %0 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = call @_where(%0, %cst, %arg0) : (tensor<10xi1>, tensor<f32>, tensor<10xf32>) -> tensor<10xf32>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %3 = stablehlo.compare EQ, %1, %2, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
    %cst_1 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %4 = call @_where(%3, %cst_1, %1) : (tensor<10xi1>, tensor<f32>, tensor<10xf32>) -> tensor<10xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %6 = stablehlo.compare EQ, %4, %5, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
    %cst_3 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %7 = call @_where(%6, %cst_3, %4) : (tensor<10xi1>, tensor<f32>, tensor<10xf32>) -> tensor<10xf32>
    return %7 : tensor<10xf32>
  }
  func.func private @_where(%arg0: tensor<10xi1>, %arg1: tensor<f32>, %arg2: tensor<10xf32>) -> tensor<10xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<10xi1>, tensor<10xf32>
    return %1 : tensor<10xf32>
  }
}
