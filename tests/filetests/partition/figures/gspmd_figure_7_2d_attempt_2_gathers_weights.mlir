// test collectives
// test partition plan
// test equal seeds=2
// GSPMD, Figure 7, attempt 2: activations have their batch over x, so weights are gathered along x on demand; an all-reduce
// over y makes BSM.
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func public @main(%x: tensor<16x64x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}, %win: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %wout: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) -> (tensor<16x64x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}) {
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
//| 1 all-reduce over {"y"}: 49152 bytes
//| 524288 flops in contractions
//| --- partition plan
//| module {
//|   sdy.mesh @m = <["x"=2, "y"=4]>
//|   func.func public @main(%x: tensor<16x64x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}, %win: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %wout: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) -> (tensor<16x64x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}) {
//|     %0 = sdy.reshard %win <@m, [{}, {"y"}]> : tensor<16x64xf32>
//|     %h = stablehlo.dot_general %x, %0, contracting_dims = [2] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {"y"}]>]>} : (tensor<16x64x16xf32>, tensor<16x64xf32>) -> tensor<16x64x64xf32>
//|     %h1 = sdy.sharding_constraint %h <@m, [{"x"}, {}, {"y"}]> : tensor<16x64x64xf32>
//|     %zero = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {"y"}]>]>} dense<0.000000e+00> : tensor<16x64x64xf32>
//|     %relu = stablehlo.maximum %h1, %zero {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {"y"}]>]>} : tensor<16x64x64xf32>
//|     %1 = sdy.reshard %wout <@m, [{"y"}, {}]> : tensor<64x16xf32>
//|     %y = stablehlo.dot_general %relu, %1, contracting_dims = [2] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {}], unreduced={"y"}>]>} : (tensor<16x64x64xf32>, tensor<64x16xf32>) -> tensor<16x64x16xf32>
//|     %2 = sdy.reshard %y <@m, [{"x"}, {}, {}]> : tensor<16x64x16xf32>
//|     return %2 : tensor<16x64x16xf32>
//|   }
//| }
//| --- equal seeds=2
