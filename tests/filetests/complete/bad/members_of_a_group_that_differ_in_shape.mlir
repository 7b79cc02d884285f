// test complete
// A group is for values of one shape.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(%a: tensor<8x8xf32>, %b: tensor<8x4xf32>) -> tensor<8x8xf32> { //~ ERROR `%a` (f32[8,8]) and `%b` (f32[8,4]) are in one sharding group but differ in shape
  sdy.sharding_group %a group_id=0 : tensor<8x8xf32>
  sdy.sharding_group %b group_id=0 : tensor<8x4xf32>
  return %a : tensor<8x8xf32>
}
