// test complete devices=16
// The mesh has 8 devices, 16 are asked for.
sdy.mesh @mesh = <["x"=4, "y"=2]> //~ ERROR mesh `mesh` has 8 devices, but 16 are asked for
func.func public @main(
    %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
) -> tensor<8x8xf32> {
  return %w : tensor<8x8xf32>
}
