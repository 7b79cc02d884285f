// test complete
sdy.mesh @mesh = <["x"=3, "y"=4]>
func.func public @main(%a: tensor<12x4xf32>) -> tensor<12x4xf32> {
  %r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%p: tensor<4x4xf32>) {
    %t = stablehlo.negate %p : tensor<4x4xf32>
    %u = sdy.sharding_constraint %t <@mesh, [{"y"}, {"x"}]> : tensor<4x4xf32> //~ ERROR `%u` is annotated <@mesh, [{"y"}, {"x"}]>, but stands in a manual region and is local over {"x"} already
    sdy.return %u : tensor<4x4xf32>
  } : (tensor<12x4xf32>) -> tensor<12x4xf32>
  return %r : tensor<12x4xf32>
}
