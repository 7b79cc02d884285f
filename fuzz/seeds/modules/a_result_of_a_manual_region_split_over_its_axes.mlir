// test complete
// An open dim of `out_shardings` takes no manual axis, even if an annotation asks for it.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %m = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x", ?}]>] manual_axes={"x", "y"} (%l: tensor<2xf32>) { //~ ERROR `%m` is annotated <@mesh, [{"x", "y"}]>, but it is a result of a manual region, which states <@mesh, [{"x", ?}]>
    %t = stablehlo.tanh %l : tensor<2xf32>
    sdy.return %t : tensor<2xf32>
  } {mhlo.sharding = "{devices=[8]<=[8]}"} : (tensor<8xf32>) -> tensor<8xf32>
  return %m : tensor<8xf32>
}
