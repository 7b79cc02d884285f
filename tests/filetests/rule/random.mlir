// test rule Random
// Drawn numbers depend on their place, so each piece starts at an offset; the state stays together.
func.func public @main(%s: tensor<2xui64>) -> tensor<4x6xui32> {
  %next, %bits = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x6xui32>)
  return %bits : tensor<4x6xui32>
}
//| %next, %bits = rng_bit_generator: ([k])->([l], [i, j]) {i=4, j=6, k=2, l=2} need_replication={k, l} by_family={i, j}
