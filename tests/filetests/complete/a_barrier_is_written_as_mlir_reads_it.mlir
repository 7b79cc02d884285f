// test complete
// MLIR wants the attributes of a barrier before its operands.
sdy.mesh @mesh = <["x"=2]>
func.func public @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %c:2 = stablehlo.optimization_barrier %a, %b : tensor<4xf32>, tensor<2xf32>
  return %c#0, %c#1 : tensor<4xf32>, tensor<2xf32>
}
//| module {
//|   sdy.mesh @mesh = <["x"=2]>
//|   func.func public @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
//|     %c:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{}]>]>} %a, %b : tensor<4xf32>, tensor<2xf32>
//|     return %c#0, %c#1 : tensor<4xf32>, tensor<2xf32>
//|   }
//| }
