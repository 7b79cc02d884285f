// test complete values
// What a named part states is kept, what it leaves open passes in and out.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %b = sdy.named_computation<"block">(%a) in_shardings=[<@mesh, [{"x", ?}, {?}]>] out_shardings=[<@mesh, [{?}, {"y"}]>] (%p: tensor<8x8xf32>) {
    %q = stablehlo.tanh %p : tensor<8x8xf32>
    sdy.return %q : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %b : tensor<8x8xf32>
}
//| %a [{"x"}, {"y"}]
//| %b [{"x"}, {"y"}]
//| %p [{"x"}, {"y"}]
//| %q [{"x"}, {"y"}]
