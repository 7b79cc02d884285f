// test run
// A matrix of no rows has a Cholesky factor of no rows, and nothing failed.
func.func public @main() -> (tensor<2x0x0xf32>, tensor<2xi32>) {
  %a = stablehlo.constant dense<> : tensor<2x0x0xf32>
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>]} : (tensor<2x0x0xf32>) -> (tensor<2x0x0xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2x0x0xf32>, tensor<2xi32>
}
//| 0: f32[2,0,0] [[], []]
//| 1: s32[2] [0, 0]
