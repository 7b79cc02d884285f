// test print hlo
// Elementwise ops that HLO has no opcode for are custom calls of their own names.
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = chlo.next_after %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.polygamma %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = chlo.zeta %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
//| HloModule v, entry_computation_layout={(f32[4]{0}, f32[4]{0})->(f32[4]{0}, f32[4]{0}, f32[4]{0})}
//|
//| ENTRY %main (a: f32[4], b: f32[4]) -> (f32[4], f32[4], f32[4]) {
//|   %a = f32[4]{0} parameter(0)
//|   %b = f32[4]{0} parameter(1)
//|   %v0 = f32[4]{0} custom-call(%a, %b), custom_call_target="chlo.next_after"
//|   %v1 = f32[4]{0} custom-call(%a, %b), custom_call_target="chlo.polygamma"
//|   %v2 = f32[4]{0} custom-call(%a, %b), custom_call_target="chlo.zeta"
//|   ROOT %tuple.1 = (f32[4]{0}, f32[4]{0}, f32[4]{0}) tuple(%v0, %v1, %v2)
//| }
//|
