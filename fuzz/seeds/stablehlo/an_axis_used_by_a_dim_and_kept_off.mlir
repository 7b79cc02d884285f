// test complete
// An axis that is said to be replicated splits no dim.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(
    %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], replicated={"x"}>} //~ ERROR `%w`: axis `x` is used by dim 0 and by its replicated axes
) -> tensor<8x8xf32> {
  return %w : tensor<8x8xf32>
}
