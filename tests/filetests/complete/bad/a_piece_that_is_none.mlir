// test complete
// 4 is not a multiple of 3.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(
    %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)3}, {}]>} //~ ERROR `x`:(1)3 is no piece of axis `x` of size 4
) -> tensor<8x8xf32> {
  return %w : tensor<8x8xf32>
}
