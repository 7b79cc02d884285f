// test rule Unary Binary Compare Select Clamp Convert
// Every dim passes through; a scalar predicate or bound has no factors.
func.func public @main(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %p: tensor<i1>, %low: tensor<f32>) -> tensor<4x8xf32> {
  %sum = stablehlo.add %a, %b : tensor<4x8xf32>
  %tanh = stablehlo.tanh %sum : tensor<4x8xf32>
  %less = stablehlo.compare LT, %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  %each = stablehlo.select %less, %a, %b : tensor<4x8xi1>, tensor<4x8xf32>
  %all = stablehlo.select %p, %each, %tanh : tensor<i1>, tensor<4x8xf32>
  %clamp = stablehlo.clamp %low, %all, %b : (tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %wide = stablehlo.convert %clamp : (tensor<4x8xf32>) -> tensor<4x8xf64>
  return %clamp : tensor<4x8xf32>
}
//| %sum = add: ([i, j], [i, j])->([i, j]) {i=4, j=8}
//| %tanh = tanh: ([i, j])->([i, j]) {i=4, j=8}
//| %less = compare: ([i, j], [i, j])->([i, j]) {i=4, j=8}
//| %each = select: ([i, j], [i, j], [i, j])->([i, j]) {i=4, j=8}
//| %all = select: ([], [i, j], [i, j])->([i, j]) {i=4, j=8}
//| %clamp = clamp: ([], [i, j], [i, j])->([i, j]) {i=4, j=8}
//| %wide = convert: ([i, j])->([i, j]) {i=4, j=8}
