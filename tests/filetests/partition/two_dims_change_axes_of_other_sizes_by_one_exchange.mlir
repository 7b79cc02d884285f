// test collectives
// test equal seeds=2
// {x=4},{y=2} becomes {y},{x}: the devices change places so that half of x stays where it is, and the other half moves in
// one all-to-all. Whole axes would take two of them and a permute.
module {
  sdy.mesh @m = <["x"=4, "y"=2]>
  func.func public @main(%a: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<1x16x4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}, {"x"}, {}]>}) {
    %0 = stablehlo.reshape %a : (tensor<16x32xf32>) -> tensor<1x16x4x8xf32>
    return %0 : tensor<1x16x4x8xf32>
  }
}
//| --- collectives
//| 1 all-to-all over {"x":(2)2}: 128 bytes
//| 1 permute: 256 bytes
//| 0 flops in contractions
//| --- equal seeds=2
