// test collectives
// test equal devices=4
// 31 rows of slopes over 4 devices are the taps of the kernel's gradient, 8 to a device: the last has 7, and a row of zeros.
// Devices fetch what their rows look at, and sum.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<33x9x2x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}, {}]>}, %slope: tensor<31x7x4x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}, {}]>}) -> tensor<3x3x2x3xf32> {
    %0 = stablehlo.convolution(%a, %slope) dim_numbers = [0, 1, b, f]x[0, 1, i, o]->[0, 1, b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<33x9x2x4xf32>, tensor<31x7x4x3xf32>) -> tensor<3x3x2x3xf32>
    return %0 : tensor<3x3x2x3xf32>
  }
}
//| --- collectives
//| 1 all-reduce over {"x"}: 324 bytes
//| 2 permute: 1152 bytes
//| 24192 flops in contractions
//| --- equal devices=4
