// test rule Dot
// Batch and free dims pass through; contracted dims reduce. Results: batch, free of lhs, free of rhs.
func.func public @main(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %m: tensor<3x4xf32>, %v: tensor<4xf32>) -> tensor<2x3x5xf32> {
  %batched = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %vector = stablehlo.dot_general %m, %v, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
  %inner = stablehlo.dot_general %v, %v, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %outer = stablehlo.dot_general %v, %v, contracting_dims = [] x [] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return %batched : tensor<2x3x5xf32>
}
//| %batched = dot_general: ([i, j, l], [i, l, k])->([i, j, k]) {i=2, j=3, k=5, l=4} reduction={l}
//| %vector = dot_general: ([i, j], [j])->([i]) {i=3, j=4} reduction={j}
//| %inner = dot_general: ([i], [i])->([]) {i=4} reduction={i}
//| %outer = dot_general: ([i], [j])->([i, j]) {i=4, j=4}
