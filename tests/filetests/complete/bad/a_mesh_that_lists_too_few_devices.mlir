// test complete
// Every device once.
sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[0, 1, 2]> //~ ERROR the device order lists 3 devices, the mesh has 4
func.func public @main(
    %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
) -> tensor<8x8xf32> {
  return %w : tensor<8x8xf32>
}
