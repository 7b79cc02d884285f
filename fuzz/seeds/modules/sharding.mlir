// test rule Sharding
// The identities pass everything; regions have no factors, their edges lead inside.
sdy.mesh @m = <["x"=2]>
func.func public @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %c = sdy.sharding_constraint %x <@m, [{"x"}, {}]> : tensor<4x6xf32>
  %r = sdy.manual_computation(%c) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%p: tensor<2x6xf32>) {
    sdy.return %p : tensor<2x6xf32>
  } : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}
//| %c = sharding_constraint: ([i, j])->([i, j]) {i=4, j=6}
//| %r = manual_computation: ([1, 1])->([1, 1]) {}
