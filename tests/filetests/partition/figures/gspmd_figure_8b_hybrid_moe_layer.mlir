// test collectives
// test partition plan
// test equal seeds=2
// GSPMD, Figure 8b: experts over x and, because one does not fit, each over y as well. Between the two all-to-alls along x
// stand an all-gather of M along y and the reduce-scatter that splits it again.
module {
  sdy.mesh @m = <["x"=4, "y"=2]>
  func.func public @main(%x: tensor<4x16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}]>}, %mask: tensor<4x16x4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}, {}]>}, %win: tensor<4x32x256xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}]>}, %wout: tensor<4x256x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}, {}]>}) -> (tensor<4x16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}]>}) {
    %d = stablehlo.dot_general %mask, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x16x4x2xf32>, tensor<4x16x32xf32>) -> tensor<4x4x2x32xf32>
    %t = stablehlo.transpose %d, dims = [1, 0, 2, 3] : (tensor<4x4x2x32xf32>) -> tensor<4x4x2x32xf32>
    %in = sdy.sharding_constraint %t <@m, [{"x"}, {}, {}, {"y"}]> : tensor<4x4x2x32xf32>
    %h = stablehlo.dot_general %in, %win, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<4x4x2x32xf32>, tensor<4x32x256xf32>) -> tensor<4x4x2x256xf32>
    %h1 = sdy.sharding_constraint %h <@m, [{"x"}, {}, {}, {"y"}]> : tensor<4x4x2x256xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<4x4x2x256xf32>
    %relu = stablehlo.maximum %h1, %zero : tensor<4x4x2x256xf32>
    %o = stablehlo.dot_general %relu, %wout, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<4x4x2x256xf32>, tensor<4x256x32xf32>) -> tensor<4x4x2x32xf32>
    %out = sdy.sharding_constraint %o <@m, [{"x"}, {}, {}, {"y"}]> : tensor<4x4x2x32xf32>
    %u = stablehlo.transpose %out, dims = [1, 0, 2, 3] : (tensor<4x4x2x32xf32>) -> tensor<4x4x2x32xf32>
    %y = stablehlo.dot_general %mask, %u, batching_dims = [0] x [0], contracting_dims = [2, 3] x [1, 2] : (tensor<4x16x4x2xf32>, tensor<4x4x2x32xf32>) -> tensor<4x16x32xf32>
    return %y : tensor<4x16x32xf32>
  }
}
//| --- collectives
//| 1 all-gather over {"y"}: 512 bytes
//| 1 reduce-scatter over {"y"}: 512 bytes
//| 2 all-to-all over {"x"}: 768 bytes
//| 139264 flops in contractions
//| --- partition plan
//| module {
//|   sdy.mesh @m = <["x"=4, "y"=2]>
//|   func.func public @main(%x: tensor<4x16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}]>}, %mask: tensor<4x16x4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}, {}]>}, %win: tensor<4x32x256xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}]>}, %wout: tensor<4x256x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}, {}]>}) -> (tensor<4x16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}]>}) {
//|     %d = stablehlo.dot_general %mask, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {}, {"y"}]>]>} : (tensor<4x16x4x2xf32>, tensor<4x16x32xf32>) -> tensor<4x4x2x32xf32>
//|     %0 = sdy.reshard %d <@m, [{}, {"x"}, {}, {"y"}]> : tensor<4x4x2x32xf32>
//|     %t = stablehlo.transpose %0, dims = [1, 0, 2, 3] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {}, {"y"}]>]>} : (tensor<4x4x2x32xf32>) -> tensor<4x4x2x32xf32>
//|     %in = sdy.sharding_constraint %t <@m, [{"x"}, {}, {}, {"y"}]> : tensor<4x4x2x32xf32>
//|     %1 = sdy.reshard %in <@m, [{"x"}, {}, {}, {}]> : tensor<4x4x2x32xf32>
//|     %h = stablehlo.dot_general %1, %win, batching_dims = [0] x [0], contracting_dims = [3] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {}, {"y"}]>]>} : (tensor<4x4x2x32xf32>, tensor<4x32x256xf32>) -> tensor<4x4x2x256xf32>
//|     %h1 = sdy.sharding_constraint %h <@m, [{"x"}, {}, {}, {"y"}]> : tensor<4x4x2x256xf32>
//|     %zero = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {}, {"y"}]>]>} dense<0.000000e+00> : tensor<4x4x2x256xf32>
//|     %relu = stablehlo.maximum %h1, %zero {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {}, {"y"}]>]>} : tensor<4x4x2x256xf32>
//|     %o = stablehlo.dot_general %relu, %wout, batching_dims = [0] x [0], contracting_dims = [3] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {}, {}], unreduced={"y"}>]>} : (tensor<4x4x2x256xf32>, tensor<4x256x32xf32>) -> tensor<4x4x2x32xf32>
//|     %2 = sdy.reshard %o <@m, [{"x"}, {}, {}, {"y"}]> : tensor<4x4x2x32xf32>
//|     %out = sdy.sharding_constraint %2 <@m, [{"x"}, {}, {}, {"y"}]> : tensor<4x4x2x32xf32>
//|     %u = stablehlo.transpose %out, dims = [1, 0, 2, 3] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}, {}, {"y"}]>]>} : (tensor<4x4x2x32xf32>) -> tensor<4x4x2x32xf32>
//|     %3 = sdy.reshard %u <@m, [{"x"}, {}, {}, {"y"}]> : tensor<4x4x2x32xf32>
//|     %y = stablehlo.dot_general %mask, %3, batching_dims = [0] x [0], contracting_dims = [2, 3] x [1, 2] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}, {"y"}]>]>} : (tensor<4x16x4x2xf32>, tensor<4x4x2x32xf32>) -> tensor<4x16x32xf32>
//|     return %y : tensor<4x16x32xf32>
//|   }
//| }
//| --- equal seeds=2
