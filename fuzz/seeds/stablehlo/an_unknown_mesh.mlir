// test complete
// No such mesh is declared.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(
    %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mash, [{"x"}, {}]>} //~ ERROR no mesh is called `mash`
) -> tensor<8x8xf32> {
  return %w : tensor<8x8xf32>
}
