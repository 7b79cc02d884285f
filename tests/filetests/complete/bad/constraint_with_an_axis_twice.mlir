// test complete
// The line is that of the constraint.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(%w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c = sdy.sharding_constraint %w <@mesh, [{"x"}, {"x"}]> : tensor<8x8xf32> //~ ERROR `%c`: axis `x` is used by dim 0 and by dim 1
  return %c : tensor<8x8xf32>
}
