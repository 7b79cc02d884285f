// test complete
sdy.mesh @mesh = <["x"=3, "y"=4]>
func.func public @main(%a: tensor<12xf32>, %b: tensor<4xf32>) -> tensor<12xf32> {
  %r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%p: tensor<4xf32>) { //~ ERROR `%p` and `%b` are in one sharding group, but local over {"x"} and no axes
    sdy.sharding_group %p group_id=1 : tensor<4xf32>
    sdy.return %p : tensor<4xf32>
  } : (tensor<12xf32>) -> tensor<12xf32>
  sdy.sharding_group %b group_id=1 : tensor<4xf32>
  return %r : tensor<12xf32>
}
