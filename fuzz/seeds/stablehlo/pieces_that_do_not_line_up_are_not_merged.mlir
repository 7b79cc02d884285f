// test complete
// `x`:(1)2 and `x`:(3)2 of an axis of 6 touch no common part, but no cut of the axis has both: they cannot split one value.
sdy.mesh @mesh = <["x"=6]>
func.func public @main(
    %a: tensor<2x2xf32>,
    %b: tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>}
) -> (tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(3)2}]>}) {
  %c = stablehlo.add %b, %a : tensor<2x2xf32>
  return %c : tensor<2x2xf32>
}
//| module {
//|   sdy.mesh @mesh = <["x"=6]>
//|   func.func public @main(%a: tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>}, %b: tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>}) -> (tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(3)2}]>}) {
//|     %c = stablehlo.add %b, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(1)2}, {}]>]>} : tensor<2x2xf32>
//|     return %c : tensor<2x2xf32>
//|   }
//| }
