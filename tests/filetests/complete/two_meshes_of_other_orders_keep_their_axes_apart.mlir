// test complete
// The meshes list the same devices in orders that have nothing in common: no axis travels between them, nor does the fact
// that a value is local over one.
sdy.mesh @mesh = <["x"=3, "y"=4], device_ids=[4, 8, 5, 3, 0, 1, 9, 7, 6, 11, 10, 2]>
sdy.mesh @other = <["x"=3, "y"=2, "z"=2]>
func.func public @main(
    %a: tensor<6x10xf32> {mhlo.sharding = "{devices=[1,1,4,3]4,0,6,8,1,11,5,9,10,3,7,2 last_tile_dims={manual, replicated}}"}
) -> (tensor<6x10xf32> {sdy.sharding = #sdy.sharding<@other, [{}, {}], replicated={"y"}>}) {
  return %a : tensor<6x10xf32>
}
//| module {
//|   sdy.mesh @mesh = <["x"=3, "y"=4], device_ids=[4, 8, 5, 3, 0, 1, 9, 7, 6, 11, 10, 2]>
//|   sdy.mesh @other = <["x"=3, "y"=2, "z"=2]>
//|   func.func public @main(%a: tensor<6x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<6x10xf32> {sdy.sharding = #sdy.sharding<@other, [{}, {}], replicated={"y"}>}) {
//|     return %a : tensor<6x10xf32>
//|   }
//| }
