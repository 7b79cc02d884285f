// test complete
// test equal seeds=2
// Three rows over eight devices: five devices hold padding alone.
sdy.mesh @mesh = <["x"=8]>
func.func public @main(
    %a: tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.negate %a : tensor<3x4xf32>
  %s = stablehlo.reduce(%n init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
//| --- complete
//| module {
//|   sdy.mesh @mesh = <["x"=8]>
//|   func.func public @main(%a: tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
//|     %zero = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} dense<0.000000e+00> : tensor<f32>
//|     %n = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<3x4xf32>
//|     %s = stablehlo.reduce(%n init: %zero) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>
//|     return %s : tensor<4xf32>
//|   }
//| }
//| --- equal seeds=2
