module @jit_convert_from_f32 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<13xf32>) -> (tensor<13xi32> {jax.result_info = "result[0]"}, tensor<13xi1> {jax.result_info = "result[1]"}, tensor<13xf16> {jax.result_info = "result[2]"}, tensor<13xbf16> {jax.result_info = "result[3]"}, tensor<13xui8> {jax.result_info = "result[4]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<13xf32>) -> tensor<13xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %2 = stablehlo.compare NE, %arg0, %1, FLOAT : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
    %3 = stablehlo.convert %2 : tensor<13xi1>
    %4 = stablehlo.convert %arg0 : (tensor<13xf32>) -> tensor<13xf16>
    %5 = stablehlo.convert %arg0 : (tensor<13xf32>) -> tensor<13xbf16>
    %6 = call @nan_to_num(%arg0) : (tensor<13xf32>) -> tensor<13xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<255> : tensor<i32>
    %7 = call @clip(%6, %c, %c_0) : (tensor<13xf32>, tensor<i32>, tensor<i32>) -> tensor<13xf32>
    %8 = stablehlo.convert %7 : (tensor<13xf32>) -> tensor<13xui8>
    %9 = stablehlo.convert %arg0 : (tensor<13xf32>) -> tensor<13xcomplex<f32>>
    return %0, %3, %4, %5, %8, %9 : tensor<13xi32>, tensor<13xi1>, tensor<13xf16>, tensor<13xbf16>, tensor<13xui8>, tensor<13xcomplex<f32>>
  }
  func.func private @nan_to_num(%arg0: tensor<13xf32>) -> tensor<13xf32> {
    %0 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = call @_where(%0, %cst, %arg0) : (tensor<13xi1>, tensor<f32>, tensor<13xf32>) -> tensor<13xf32>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %3 = stablehlo.compare EQ, %1, %2, FLOAT : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
    %cst_1 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %4 = call @_where(%3, %cst_1, %1) : (tensor<13xi1>, tensor<f32>, tensor<13xf32>) -> tensor<13xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %6 = stablehlo.compare EQ, %4, %5, FLOAT : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
    %cst_3 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %7 = call @_where(%6, %cst_3, %4) : (tensor<13xi1>, tensor<f32>, tensor<13xf32>) -> tensor<13xf32>
    return %7 : tensor<13xf32>
  }
  func.func private @_where(%arg0: tensor<13xi1>, %arg1: tensor<f32>, %arg2: tensor<13xf32>) -> tensor<13xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<13xi1>, tensor<13xf32>
    return %1 : tensor<13xf32>
  }
  func.func private @clip(%arg0: tensor<13xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<13xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<13xf32>
    %3 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<13xf32>
    return %5 : tensor<13xf32>
  }
}
