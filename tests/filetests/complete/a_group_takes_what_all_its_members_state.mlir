// test complete
// Each member leaves open what the other states; together they state both.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>},
    %b: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}
) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  sdy.sharding_group %a group_id=7 : tensor<4x4xf32>
  sdy.sharding_group %b group_id=7 : tensor<4x4xf32>
  return %a, %b : tensor<4x4xf32>, tensor<4x4xf32>
}
//| module {
//|   sdy.mesh @mesh = <["x"=2, "y"=2]>
//|   func.func public @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
//|     sdy.sharding_group %a group_id=7 : tensor<4x4xf32>
//|     sdy.sharding_group %b group_id=7 : tensor<4x4xf32>
//|     return %a, %b : tensor<4x4xf32>, tensor<4x4xf32>
//|   }
//| }
