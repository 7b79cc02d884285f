module @jit_constants attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<2x3xi8> {jax.result_info = "result[0]"}, tensor<7xf32> {jax.result_info = "result[1]"}, tensor<2x2xbf16> {jax.result_info = "result[2]"}, tensor<3xi1> {jax.result_info = "result[3]"}, tensor<2xcomplex<f32>> {jax.result_info = "result[4]"}, tensor<2xf16> {jax.result_info = "result[5]"}, tensor<0x3xf32> {jax.result_info = "result[6]"}, tensor<1xui32> {jax.result_info = "result[7]"}) {
    %c = stablehlo.constant dense<[[1, -2, 3], [4, 5, -6]]> : tensor<2x3xi8>
    %cst = stablehlo.constant dense<[1.500000e+00, 0x7FC00000, 0x7F800000, 0xFF800000, -0.000000e+00, 9.999940e-41, 3.40282347E+38]> : tensor<7xf32>
    %c_0 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
    %cst_1 = stablehlo.constant dense<[(1.000000e+00,2.000000e+00), (-0.000000e+00,-5.000000e-01)]> : tensor<2xcomplex<f32>>
    %cst_2 = stablehlo.constant dense<[3.140630e+00, 0x7E00]> : tensor<2xf16>
    %c_3 = stablehlo.constant dense<4294967295> : tensor<1xui32>
    %cst_4 = stablehlo.constant dense<7.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<bf16>) -> tensor<2x2xbf16>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<0x3xf32>
    return %c, %cst, %0, %c_0, %cst_1, %cst_2, %1, %c_3 : tensor<2x3xi8>, tensor<7xf32>, tensor<2x2xbf16>, tensor<3xi1>, tensor<2xcomplex<f32>>, tensor<2xf16>, tensor<0x3xf32>, tensor<1xui32>
  }
}
