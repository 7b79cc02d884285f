// test complete
// The result's first dim is open, but `x`:(3)2 does not line up with the `x`:(1)2 of its second.
sdy.mesh @mesh = <["x"=6]>
func.func public @main(
    %a: tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(3)2}, {"x":(1)3}]>}
) -> (tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x":(1)2}]>}) {
  %b = stablehlo.negate %a : tensor<2x2xf32>
  return %b : tensor<2x2xf32>
}
//| module {
//|   sdy.mesh @mesh = <["x"=6]>
//|   func.func public @main(%a: tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(3)2}, {"x":(1)3}]>}) -> (tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(1)2}]>}) {
//|     %b = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(3)2}, {"x":(1)3}]>]>} : tensor<2x2xf32>
//|     return %b : tensor<2x2xf32>
//|   }
//| }
