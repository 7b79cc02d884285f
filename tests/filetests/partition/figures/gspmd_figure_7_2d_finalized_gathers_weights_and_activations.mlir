// test collectives
// test partition plan
// test equal seeds=2
// GSPMD, Figure 7, finalized: BSM has its M over y besides. It is gathered along y at the beginning, weights along x, and a
// reduce-scatter over y ends the layer.
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func public @main(%x: tensor<16x64x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}]>}, %win: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %wout: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) -> (tensor<16x64x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}]>}) {
    %h = stablehlo.dot_general %x, %win, contracting_dims = [2] x [0] : (tensor<16x64x16xf32>, tensor<16x64xf32>) -> tensor<16x64x64xf32>
    %h1 = sdy.sharding_constraint %h <@m, [{"x"}, {}, {"y"}]> : tensor<16x64x64xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<16x64x64xf32>
    %relu = stablehlo.maximum %h1, %zero : tensor<16x64x64xf32>
    %y = stablehlo.dot_general %relu, %wout, contracting_dims = [2] x [0] : (tensor<16x64x64xf32>, tensor<64x16xf32>) -> tensor<16x64x16xf32>
    return %y : tensor<16x64x16xf32>
  }
}
//| --- collectives
//| 2 all-gather over {"x"}: 1024 bytes
//| 1 all-gather over {"y"}: 24576 bytes
//| 1 reduce-scatter over {"y"}: 24576 bytes
//| 524288 flops in contractions
//| --- partition plan
//| module {
//|   sdy.mesh @m = <["x"=2, "y"=4]>
//|   func.func public @main(%x: tensor<16x64x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}]>}, %win: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %wout: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) -> (tensor<16x64x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}]>}) {
//|     %0 = sdy.reshard %x <@m, [{"x"}, {}, {}]> : tensor<16x64x16xf32>
//|     %1 = sdy.reshard %win <@m, [{}, {"y"}]> : tensor<16x64xf32>
//|     %h = stablehlo.dot_general %0, %1, contracting_dims = [2] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {"y"}]>]>} : (tensor<16x64x16xf32>, tensor<16x64xf32>) -> tensor<16x64x64xf32>
//|     %h1 = sdy.sharding_constraint %h <@m, [{"x"}, {}, {"y"}]> : tensor<16x64x64xf32>
//|     %zero = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {"y"}]>]>} dense<0.000000e+00> : tensor<16x64x64xf32>
//|     %relu = stablehlo.maximum %h1, %zero {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {"y"}]>]>} : tensor<16x64x64xf32>
//|     %2 = sdy.reshard %wout <@m, [{"y"}, {}]> : tensor<64x16xf32>
//|     %y = stablehlo.dot_general %relu, %2, contracting_dims = [2] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {}], unreduced={"y"}>]>} : (tensor<16x64x64xf32>, tensor<64x16xf32>) -> tensor<16x64x16xf32>
//|     %3 = sdy.reshard %y <@m, [{"x"}, {}, {"y"}]> : tensor<16x64x16xf32>
//|     return %3 : tensor<16x64x16xf32>
//|   }
//| }
//| --- equal seeds=2
