// test collectives
// test partition plan
// test equal seeds=2
// GSPMD, Figure 8a: a mixture-of-experts layer on one axis. Dispatch and combination run where their batches are, the experts
// where their weights are; an all-to-all before and one behind them, and nothing else.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%x: tensor<4x16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}, %mask: tensor<4x16x4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}, {}]>}, %win: tensor<4x32x256xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}, %wout: tensor<4x256x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}) -> (tensor<4x16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}) {
    %d = stablehlo.dot_general %mask, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x16x4x2xf32>, tensor<4x16x32xf32>) -> tensor<4x4x2x32xf32>
    %t = stablehlo.transpose %d, dims = [1, 0, 2, 3] : (tensor<4x4x2x32xf32>) -> tensor<4x4x2x32xf32>
    %in = sdy.sharding_constraint %t <@m, [{"x"}, {}, {}, {}]> : tensor<4x4x2x32xf32>
    %h = stablehlo.dot_general %in, %win, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<4x4x2x32xf32>, tensor<4x32x256xf32>) -> tensor<4x4x2x256xf32>
    %h1 = sdy.sharding_constraint %h <@m, [{"x"}, {}, {}, {}]> : tensor<4x4x2x256xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<4x4x2x256xf32>
    %relu = stablehlo.maximum %h1, %zero : tensor<4x4x2x256xf32>
    %o = stablehlo.dot_general %relu, %wout, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<4x4x2x256xf32>, tensor<4x256x32xf32>) -> tensor<4x4x2x32xf32>
    %out = sdy.sharding_constraint %o <@m, [{"x"}, {}, {}, {}]> : tensor<4x4x2x32xf32>
    %u = stablehlo.transpose %out, dims = [1, 0, 2, 3] : (tensor<4x4x2x32xf32>) -> tensor<4x4x2x32xf32>
    %y = stablehlo.dot_general %mask, %u, batching_dims = [0] x [0], contracting_dims = [2, 3] x [1, 2] : (tensor<4x16x4x2xf32>, tensor<4x4x2x32xf32>) -> tensor<4x16x32xf32>
    return %y : tensor<4x16x32xf32>
  }
}
//| --- collectives
//| 2 all-to-all over {"x"}: 1536 bytes
//| 278528 flops in contractions
//| --- partition plan
//| module {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%x: tensor<4x16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}, %mask: tensor<4x16x4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}, {}]>}, %win: tensor<4x32x256xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}, %wout: tensor<4x256x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}) -> (tensor<4x16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}) {
//|     %d = stablehlo.dot_general %mask, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {}, {}]>]>} : (tensor<4x16x4x2xf32>, tensor<4x16x32xf32>) -> tensor<4x4x2x32xf32>
//|     %0 = sdy.reshard %d <@m, [{}, {"x"}, {}, {}]> : tensor<4x4x2x32xf32>
//|     %t = stablehlo.transpose %0, dims = [1, 0, 2, 3] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {}, {}]>]>} : (tensor<4x4x2x32xf32>) -> tensor<4x4x2x32xf32>
//|     %in = sdy.sharding_constraint %t <@m, [{"x"}, {}, {}, {}]> : tensor<4x4x2x32xf32>
//|     %h = stablehlo.dot_general %in, %win, batching_dims = [0] x [0], contracting_dims = [3] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {}, {}]>]>} : (tensor<4x4x2x32xf32>, tensor<4x32x256xf32>) -> tensor<4x4x2x256xf32>
//|     %h1 = sdy.sharding_constraint %h <@m, [{"x"}, {}, {}, {}]> : tensor<4x4x2x256xf32>
//|     %zero = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {}, {}]>]>} dense<0.000000e+00> : tensor<4x4x2x256xf32>
//|     %relu = stablehlo.maximum %h1, %zero {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {}, {}]>]>} : tensor<4x4x2x256xf32>
//|     %o = stablehlo.dot_general %relu, %wout, batching_dims = [0] x [0], contracting_dims = [3] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {}, {}]>]>} : (tensor<4x4x2x256xf32>, tensor<4x256x32xf32>) -> tensor<4x4x2x32xf32>
//|     %out = sdy.sharding_constraint %o <@m, [{"x"}, {}, {}, {}]> : tensor<4x4x2x32xf32>
//|     %u = stablehlo.transpose %out, dims = [1, 0, 2, 3] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}, {}, {}]>]>} : (tensor<4x4x2x32xf32>) -> tensor<4x4x2x32xf32>
//|     %1 = sdy.reshard %u <@m, [{"x"}, {}, {}, {}]> : tensor<4x4x2x32xf32>
//|     %y = stablehlo.dot_general %mask, %1, batching_dims = [0] x [0], contracting_dims = [2, 3] x [1, 2] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {}]>]>} : (tensor<4x16x4x2xf32>, tensor<4x4x2x32xf32>) -> tensor<4x16x32xf32>
//|     return %y : tensor<4x16x32xf32>
//|   }
//| }
//| --- equal seeds=2
