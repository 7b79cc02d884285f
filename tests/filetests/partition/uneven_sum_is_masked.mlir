// test partition
// test equal seeds=1
// 15 elements over 2 devices: shards of 8, and the sixteenth element is nobody's. It may be a NaN, so it is selected away.
module {
  sdy.mesh @m = <["x"=2]>
  func.func public @main(%a: tensor<15x65536xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<65536xf32> {
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<15x65536xf32>, tensor<f32>) -> tensor<65536xf32>
    return %0 : tensor<65536xf32>
  }
}
