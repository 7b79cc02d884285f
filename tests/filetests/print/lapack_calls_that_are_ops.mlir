// test print
// test print hlo
// What JAX writes of a Cholesky decomposition and of a triangular solve on CPU is read as these ops: the other triangle stays, and whether it failed is
// whether the last element is NaN.
func.func public @main(%arg0: tensor<3x4x4xf32>, %arg1: tensor<3x4x2xf32>) -> (tensor<3x4x4xf32>, tensor<3xi32>, tensor<3x4x2xf32>) {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i]) {i=3, j=4, k=4, l=4, m=4}, custom>} : (tensor<3x4x4xf32>) -> (tensor<3x4x4xf32>, tensor<3xi32>)
  %1 = stablehlo.custom_call @lapack_strsm_ffi(%0#0, %arg1) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]} : (tensor<3x4x4xf32>, tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  return %0#0, %0#1, %1 : tensor<3x4x4xf32>, tensor<3xi32>, tensor<3x4x2xf32>
}
//| --- print
//| module {
//|   func.func public @main(%arg0: tensor<3x4x4xf32>, %arg1: tensor<3x4x2xf32>) -> (tensor<3x4x4xf32>, tensor<3xi32>, tensor<3x4x2xf32>) {
//|     %step.5 = stablehlo.cholesky %arg0, lower = true : tensor<3x4x4xf32>
//|     %step.6 = stablehlo.slice %step.5 [0:3, 3:4, 3:4] : (tensor<3x4x4xf32>) -> tensor<3x1x1xf32>
//|     %step.7 = stablehlo.reshape %step.6 : (tensor<3x1x1xf32>) -> tensor<3xf32>
//|     %step.8 = stablehlo.compare NE, %step.7, %step.7 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
//|     %step.9 = stablehlo.convert %step.8 : (tensor<3xi1>) -> tensor<3xi32>
//|     %step.10 = stablehlo.iota dim = 1 : tensor<3x4x4xi32>
//|     %step.11 = stablehlo.iota dim = 2 : tensor<3x4x4xi32>
//|     %step.12 = stablehlo.compare GE, %step.10, %step.11 : (tensor<3x4x4xi32>, tensor<3x4x4xi32>) -> tensor<3x4x4xi1>
//|     %0 = stablehlo.select %step.12, %step.5, %arg0 : tensor<3x4x4xi1>, tensor<3x4x4xf32>
//|     %1 = "stablehlo.triangular_solve"(%0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<3x4x4xf32>, tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
//|     return %0, %step.9, %1 : tensor<3x4x4xf32>, tensor<3xi32>, tensor<3x4x2xf32>
//|   }
//| }
//| --- print hlo
//| HloModule v, entry_computation_layout={(f32[3,4,4]{2,1,0}, f32[3,4,2]{2,1,0})->(f32[3,4,4]{2,1,0}, s32[3]{0}, f32[3,4,2]{2,1,0})}
//|
//| ENTRY %main (arg0: f32[3,4,4], arg1: f32[3,4,2]) -> (f32[3,4,4], s32[3], f32[3,4,2]) {
//|   %arg0 = f32[3,4,4]{2,1,0} parameter(0)
//|   %arg1 = f32[3,4,2]{2,1,0} parameter(1)
//|   %step.5 = f32[3,4,4]{2,1,0} cholesky(%arg0), lower=true
//|   %step.6 = f32[3,1,1]{2,1,0} slice(%step.5), slice={[0:3], [3:4], [3:4]}
//|   %step.7 = f32[3]{0} reshape(%step.6)
//|   %step.8 = pred[3]{0} compare(%step.7, %step.7), direction=NE
//|   %step.9 = s32[3]{0} convert(%step.8)
//|   %step.10 = s32[3,4,4]{2,1,0} iota(), iota_dimension=1
//|   %step.11 = s32[3,4,4]{2,1,0} iota(), iota_dimension=2
//|   %step.12 = pred[3,4,4]{2,1,0} compare(%step.10, %step.11), direction=GE
//|   %v0 = f32[3,4,4]{2,1,0} select(%step.12, %step.5, %arg0)
//|   %v1 = f32[3,4,2]{2,1,0} triangular-solve(%v0, %arg1), left_side=true, lower=true, transpose_a=ADJOINT
//|   ROOT %tuple.1 = (f32[3,4,4]{2,1,0}, s32[3]{0}, f32[3,4,2]{2,1,0}) tuple(%v0, %step.9, %v1)
//| }
//|
