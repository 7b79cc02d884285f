// test print
// test equal devices=2
// JAX writes the dims of a reduction in the order of the user's `axis`.
sdy.mesh @m = <["x"=2]>
func.func @main(%x: tensor<2x3x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [2, 0] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<3xf32>
  return %sum : tensor<3xf32>
}
//| --- print
//| module {
//|   sdy.mesh @m = <["x"=2]>
//|   func.func public @main(%x: tensor<2x3x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}) -> tensor<3xf32> {
//|     %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 2] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<3xf32>
//|     return %sum : tensor<3xf32>
//|   }
//| }
//| --- equal devices=2
