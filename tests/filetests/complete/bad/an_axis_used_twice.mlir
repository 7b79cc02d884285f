// test complete
// One axis cannot split two dims.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(
    %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y", "x"}]>} //~ ERROR `%w`: axis `x` is used by dim 0 and by dim 1
) -> tensor<8x8xf32> {
  return %w : tensor<8x8xf32>
}
