// test collectives
// test equal seeds=2
// The gradient of a roll: each part moves back to its place, and both are one permute. Paddings that overlap stay two.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %y: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %other = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.slice %x [0:1, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
    %rest = stablehlo.slice %x [1:4, 0:8] : (tensor<4x8xf32>) -> tensor<3x8xf32>
    %0 = stablehlo.pad %rest, %zero, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<3x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %1 = stablehlo.pad %first, %other, low = [3, 0], high = [0, 0], interior = [0, 0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %2 = stablehlo.add %1, %0 : tensor<4x8xf32>
    %others = stablehlo.slice %y [1:4, 0:8] : (tensor<4x8xf32>) -> tensor<3x8xf32>
    %3 = stablehlo.pad %others, %zero, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<3x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %4 = stablehlo.pad %others, %zero, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<3x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %5 = stablehlo.add %3, %4 : tensor<4x8xf32>
    return %2, %5 : tensor<4x8xf32>, tensor<4x8xf32>
  }
}
//| --- collectives
//| 1 all-gather over {"x"}: 96 bytes
//| 1 permute: 32 bytes
//| 0 flops in contractions
//| --- equal seeds=2
