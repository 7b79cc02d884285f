// test complete
// The manual axes at an edge are part of the region's type: an annotation of the result cannot take them away.
sdy.mesh @mesh = <["x"=4]>
func.func public @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %m = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%l: tensor<2xf32>) { //~ ERROR `%m` is annotated <@mesh_1, [{}]>, but it is a result of a manual region, which states <@mesh, [{"x"}]>
    %t = stablehlo.tanh %l : tensor<2xf32>
    sdy.return %t : tensor<2xf32>
  } {mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
  return %m : tensor<8xf32>
}
