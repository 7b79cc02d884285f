// test run
// Routines of LAPACK that JAX calls on CPU. Factors have LAPACK's signs; eigenvectors are shown by what they are good for.
func.func public @main() -> (tensor<2x2xf64>, tensor<2xi32>, tensor<i32>, tensor<3x2xf64>, tensor<2xf64>, tensor<3x2xf64>, tensor<2xf64>, tensor<i32>, tensor<2xf64>, tensor<3x1xf64>) {
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 6.0]]> : tensor<2x2xf64>
  %lu:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%a) {mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xi32>, tensor<i32>)
  %tall = stablehlo.constant dense<[[3.0, 1.0], [4.0, 2.0], [0.0, 2.0]]> : tensor<3x2xf64>
  %qr:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%tall) {mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>)
  %q = stablehlo.custom_call @lapack_dorgqr_ffi(%qr#0, %qr#1) {mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<3x2xf64>, tensor<2xf64>) -> tensor<3x2xf64>
  %eigh:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<i32>)
  %svd:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%a) {mhlo.backend_config = {mode = 78 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<i32>)
  %lower = stablehlo.constant dense<[9.0, 4.0, 0.0]> : tensor<3xf64>
  %main = stablehlo.constant dense<[1.0, 2.0, 5.0]> : tensor<3xf64>
  %upper = stablehlo.constant dense<[2.0, 1.0, 9.0]> : tensor<3xf64>
  %b = stablehlo.constant dense<[[5.0], [11.0], [15.0]]> : tensor<3x1xf64>
  %x:5 = stablehlo.custom_call @lapack_dgtsv_ffi(%lower, %main, %upper, %b) {mhlo.backend_config = {}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x1xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x1xf64>, tensor<i32>)
  return %lu#0, %lu#1, %lu#2, %qr#0, %qr#1, %q, %eigh#1, %eigh#2, %svd#1, %x#3 : tensor<2x2xf64>, tensor<2xi32>, tensor<i32>, tensor<3x2xf64>, tensor<2xf64>, tensor<3x2xf64>, tensor<2xf64>, tensor<i32>, tensor<2xf64>, tensor<3x1xf64>
}
//| 0: f64[2,2] [[3.0, 6.0], [0.3333333333333333, 0.0]]
//| 1: s32[2] [2, 2]
//| 2: s32[] 2
//| 3: f64[3,2] [[-5.0, -2.2], [0.5, -2.039607805437114], [0.0, 0.819803902718557]]
//| 4: f64[2] [1.6, 1.196116135138184]
//| 5: f64[3,2] [[-0.6000000000000001, 0.15689290811054715], [-0.8, -0.11766968108291036], [0.0, -0.9805806756909201]]
//| 6: f64[2] [-0.40512483795332743, 7.405124837953327]
//| 7: s32[] 0
//| 8: f64[2] [7.0710678118654755, 3.9720546451956367e-16]
//| 9: f64[3,1] [[1.0], [2.0], [3.0]]
