// test rule Movement
// A reshape's dims are products of common factors; dims of size 1 may have none. Slices, pads and reversals permute.
func.func public @main(%x: tensor<6x4xf32>, %row: tensor<4xf32>, %zero: tensor<f32>) -> tensor<24xf32> {
  %flat = stablehlo.reshape %x : (tensor<6x4xf32>) -> tensor<24xf32>
  %split = stablehlo.reshape %x : (tensor<6x4xf32>) -> tensor<2x3x1x4xf32>
  %mixed = stablehlo.reshape %x : (tensor<6x4xf32>) -> tensor<3x8xf32>
  %turned = stablehlo.transpose %x, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %spread = stablehlo.broadcast_in_dim %row, dims = [1] : (tensor<4xf32>) -> tensor<6x4xf32>
  %part = stablehlo.slice %x [0:6, 1:3] : (tensor<6x4xf32>) -> tensor<6x2xf32>
  %padded = stablehlo.pad %x, %zero, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<6x4xf32>, tensor<f32>) -> tensor<6x6xf32>
  %joined = stablehlo.concatenate %x, %spread, dim = 0 : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<12x4xf32>
  %back = stablehlo.reverse %x, dims = [1] : tensor<6x4xf32>
  return %flat : tensor<24xf32>
}
//| %flat = reshape: ([i, j])->([ij]) {i=6, j=4}
//| %split = reshape: ([ij, k])->([i, j, 1, k]) {i=2, j=3, k=4}
//| %mixed = reshape: ([ij, k])->([i, jk]) {i=3, j=2, k=4}
//| %turned = transpose: ([j, i])->([i, j]) {i=4, j=6}
//| %spread = broadcast_in_dim: ([j])->([i, j]) {i=6, j=4}
//| %part = slice: ([i, j])->([i, j]) {i=6, j=4} permutation={j}
//| %padded = pad: ([i, j], [])->([i, j]) {i=6, j=4} permutation={j}
//| %joined = concatenate: ([i, j], [i, j])->([i, j]) {i=12, j=4} permutation={i}
//| %back = reverse: ([i, j])->([i, j]) {i=6, j=4} permutation={j}
