// test complete
// One entry per dim.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(
    %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>} //~ ERROR `%w`: a sharding of 1 dims on a value of 2 dims
) -> tensor<8x8xf32> {
  return %w : tensor<8x8xf32>
}
