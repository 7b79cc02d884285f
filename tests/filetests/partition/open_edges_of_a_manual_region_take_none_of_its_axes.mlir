// test complete
// test equal devices=8 seeds=2
// A manual region names at its edges all of its axes that it means: an open dim there may take the others. The parameter is split over `model` outside, and whole
// in the body.
sdy.mesh @mesh = <["data"=2, "model"=4]>
func.func public @main(%w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {"data"}]>}) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%w) in_shardings=[<@mesh, [{?}, {?}]>] out_shardings=[<@mesh, [{?}, {?}]>] manual_axes={"model"} (%a: tensor<8x8xf32>) {
    %1 = stablehlo.negate %a : tensor<8x8xf32>
    sdy.return %1 : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
//| --- complete
//| module {
//|   sdy.mesh @mesh = <["data"=2, "model"=4]>
//|   func.func public @main(%w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {"data"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>}) {
//|     %0 = sdy.manual_computation(%w) in_shardings=[<@mesh, [{}, {"data"}]>] out_shardings=[<@mesh, [{}, {"data"}]>] manual_axes={"model"} (%a: tensor<8x8xf32>) {
//|       %1 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"data"}]>]>} : tensor<8x8xf32>
//|       sdy.return %1 : tensor<8x8xf32>
//|     } {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"data"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
//|     return %0 : tensor<8x8xf32>
//|   }
//| }
//| --- equal devices=8 seeds=2
