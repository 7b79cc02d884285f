// test complete values
// A composite is the call it means, both ways.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8x8xf32>
) -> (tensor<8x8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
  %c = stablehlo.composite "my.op" %a {decomposition = @body} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %d = stablehlo.composite "my.op" %b {decomposition = @body} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %c, %d : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @body(%p: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %q = stablehlo.add %p, %p : tensor<8x8xf32>
  return %q : tensor<8x8xf32>
}
//| %a [{"x"}, {}]
//| %b [{}, {"y"}]
//| %c [{"x"}, {}]
//| %d [{}, {"y"}]
//| %p [{"x"}, {}]
//| %q [{"x"}, {}]
//| %p [{}, {"y"}]
//| %q [{}, {"y"}]
