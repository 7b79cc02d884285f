// test complete
// The axes a manual region names at its edges are part of its type: results that are stated differently cannot be one group.
sdy.mesh @mesh = <["x"=3, "y"=4]>
func.func public @main(%a: tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>) {
  %r:2 = sdy.manual_computation(%a, %a) in_shardings=[<@mesh, [{"x", "y"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{}]>, <@mesh, [{"x", "y"}]>] manual_axes={"x", "y"} (%p: tensor<1xf32>, %q: tensor<12xf32>) { //~ ERROR `%r#0` and `%r#1` are in one sharding group but annotated differently
    %s = stablehlo.negate %p : tensor<1xf32>
    sdy.return %q, %s : tensor<12xf32>, tensor<1xf32>
  } : (tensor<12xf32>, tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>)
  sdy.sharding_group %r#0 group_id=1 : tensor<12xf32>
  sdy.sharding_group %r#1 group_id=1 : tensor<12xf32>
  return %r#0, %r#1 : tensor<12xf32>, tensor<12xf32>
}
