// test complete
// The mesh has no such axis.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(
    %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>} //~ ERROR mesh `mesh` has no axis `z`
) -> tensor<8x8xf32> {
  return %w : tensor<8x8xf32>
}
