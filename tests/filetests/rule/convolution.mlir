// test rule Convolution
// Batch and features as in a dot; rows and columns need their neighbours; a group of features is the major part of their dim.
func.func public @main(%x: tensor<2x8x9x4xf32>, %k: tensor<3x3x4x6xf32>, %h: tensor<3x3x2x6xf32>) -> tensor<2x8x9x6xf32> {
  %plain = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x9x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x8x9x6xf32>
  %groups = stablehlo.convolution(%x, %h) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x8x9x4xf32>, tensor<3x3x2x6xf32>) -> tensor<2x8x9x6xf32>
  return %plain : tensor<2x8x9x6xf32>
}
//| %plain = convolution: ([i, l, m, k], [n, o, k, j])->([i, l, m, j]) {i=2, j=6, k=4, l=8, m=9, n=3, o=3} reduction={k} permutation={l, m} need_replication={n, o}
//| %groups = convolution: ([j, m, n, il], [o, p, l, ik])->([j, m, n, ik]) {i=2, j=2, k=3, l=2, m=8, n=9, o=3, p=3} reduction={l} permutation={m, n} need_replication={o, p}
