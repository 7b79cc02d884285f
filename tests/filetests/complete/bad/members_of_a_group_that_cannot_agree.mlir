// test complete
// Two closed annotations that differ cannot be one.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %b = sdy.sharding_constraint %a <@mesh, [{"x"}, {}]> : tensor<8x8xf32> //~ ERROR `%b` and `%c` are in one sharding group but annotated differently
  %c = sdy.sharding_constraint %a <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  sdy.sharding_group %b group_id=0 : tensor<8x8xf32>
  sdy.sharding_group %c group_id=0 : tensor<8x8xf32>
  return %b, %c : tensor<8x8xf32>, tensor<8x8xf32>
}
