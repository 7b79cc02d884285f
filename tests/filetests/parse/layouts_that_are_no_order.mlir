// test parse
// A layout lists every dim of its type once.
func.func @twice(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.custom_call @f(%x) {operand_layouts = [dense<[1, 2]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<4x2xf32>) -> tensor<4x2xf32> //~ ERROR layout [1, 2] is not an order of the 2 dims of f32[4,2]
  return %0 : tensor<4x2xf32>
}
func.func @too_few(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.custom_call @f(%x) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = []} : (tensor<4x2xf32>) -> tensor<4x2xf32> //~ ERROR 0 layouts do not fit 1 types
  return %0 : tensor<4x2xf32>
}
func.func @no_dims(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.custom_call @f(%x) {operand_layouts = [dense<[a]> : tensor<2xindex>], result_layouts = []} : (tensor<4x2xf32>) -> tensor<4x2xf32> //~ ERROR lists no dims
  return %0 : tensor<4x2xf32>
}
