module @jit_reduce_narrow attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x16xbf16>, %arg1: tensor<3x16xf16>) -> (tensor<3xbf16> {jax.result_info = "result[0]"}, tensor<16xbf16> {jax.result_info = "result[1]"}, tensor<bf16> {jax.result_info = "result[2]"}, tensor<3xbf16> {jax.result_info = "result[3]"}, tensor<16xf16> {jax.result_info = "result[4]"}, tensor<f16> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<3x16xbf16>) -> tensor<3x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x16xf32>, tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.convert %1 : (tensor<3xf32>) -> tensor<3xbf16>
    %cst_0 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %3 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.maximum across dimensions = [0] : (tensor<3x16xbf16>, tensor<bf16>) -> tensor<16xbf16>
    %4 = stablehlo.convert %arg0 : (tensor<3x16xbf16>) -> tensor<3x16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %6 = stablehlo.divide %5, %cst_2 : tensor<f32>
    %7 = stablehlo.convert %6 : (tensor<f32>) -> tensor<bf16>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %8 = stablehlo.reduce(%arg0 init: %cst_3) applies stablehlo.add across dimensions = [1] : (tensor<3x16xbf16>, tensor<bf16>) -> tensor<3xbf16>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %9 = stablehlo.reduce(%arg1 init: %cst_4) applies stablehlo.multiply across dimensions = [0] : (tensor<3x16xf16>, tensor<f16>) -> tensor<16xf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %10 = call @_var(%arg1, %c) : (tensor<3x16xf16>, tensor<i32>) -> tensor<f16>
    return %2, %3, %7, %8, %9, %10 : tensor<3xbf16>, tensor<16xbf16>, tensor<bf16>, tensor<3xbf16>, tensor<16xf16>, tensor<f16>
  }
  func.func private @_var(%arg0: tensor<3x16xf16>, %arg1: tensor<i32>) -> tensor<f16> {
    %0 = stablehlo.convert %arg0 : (tensor<3x16xf16>) -> tensor<3x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x16xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %cst_0 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<1x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<3x16xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<3x16xf32>
    %7 = chlo.square %6 : tensor<3x16xf32> -> tensor<3x16xf32>
    %8 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %9 = stablehlo.subtract %cst_1, %8 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%7 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x16xf32>, tensor<f32>) -> tensor<f32>
    %11 = stablehlo.divide %10, %9 : tensor<f32>
    %12 = stablehlo.convert %11 : (tensor<f32>) -> tensor<f16>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.compare GT, %9, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = call @_where(%13, %12, %cst_4) : (tensor<i1>, tensor<f16>, tensor<f32>) -> tensor<f16>
    return %14 : tensor<f16>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<f16>, %arg2: tensor<f32>) -> tensor<f16> {
    %0 = stablehlo.convert %arg2 : (tensor<f32>) -> tensor<f16>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<i1>, tensor<f16>
    return %1 : tensor<f16>
  }
}
