// test collectives
// test equal
// The two pieces of a left roll, each a row or less on a device: to gather for both is no dearer than to send either
// along, so no single change leaves the gather; both changed together are one permute.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<4x4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}, %b: tensor<4x4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}) -> tensor<4x4x8xf32> {
    %1 = stablehlo.slice %a [0:1, 0:4, 0:8] : (tensor<4x4x8xf32>) -> tensor<1x4x8xf32>
    %2 = stablehlo.slice %a [1:4, 0:4, 0:8] : (tensor<4x4x8xf32>) -> tensor<3x4x8xf32>
    %3 = stablehlo.concatenate %2, %1, dim = 0 : (tensor<3x4x8xf32>, tensor<1x4x8xf32>) -> tensor<4x4x8xf32>
    %4 = stablehlo.add %b, %3 : tensor<4x4x8xf32>
    return %4 : tensor<4x4x8xf32>
  }
}
//| --- collectives
//| 1 permute: 128 bytes
//| 0 flops in contractions
//| --- equal
