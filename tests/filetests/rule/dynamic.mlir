// test rule Dynamic
// A dim taken in part is a sum of what each piece has of it; one that is updated in part looks at all of the update.
func.func public @main(%x: tensor<8x6xf32>, %u: tensor<2x6xf32>, %i: tensor<i32>) -> tensor<8x6xf32> {
  %part = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 6] : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
  %new = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<8x6xf32>, tensor<2x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
  return %new : tensor<8x6xf32>
}
//| %part = dynamic_slice: ([i, j], [], [])->([k, j]) {i=8, j=6, k=2} reduction={i} need_replication={k} by_family={i}
//| %new = dynamic_update_slice: ([i, j], [k, j], [], [])->([i, j]) {i=8, j=6, k=2} permutation={i} need_replication={k}
