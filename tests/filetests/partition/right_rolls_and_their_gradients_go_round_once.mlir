// test collectives devices=8
// test equal devices=8 seeds=2
// GSPMD 4.6: "concatenate(last, rest)" is one permute round the ring, as "concatenate(rest, first)" is. Its gradient is a sum
// of two padded slices; each is one padding of the whole line, so one permute.
module {
  sdy.mesh @m = <["x"=8]>
  func.func public @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %s: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %last = stablehlo.slice %a [15:16, 0:8] : (tensor<16x8xf32>) -> tensor<1x8xf32>
    %rest = stablehlo.slice %a [0:15, 0:8] : (tensor<16x8xf32>) -> tensor<15x8xf32>
    %0 = stablehlo.concatenate %last, %rest, dim = 0 : (tensor<1x8xf32>, tensor<15x8xf32>) -> tensor<16x8xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.slice %0 [0:1, 0:8] : (tensor<16x8xf32>) -> tensor<1x8xf32>
    %2 = stablehlo.slice %0 [1:16, 0:8] : (tensor<16x8xf32>) -> tensor<15x8xf32>
    %3 = stablehlo.pad %2, %zero, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<15x8xf32>, tensor<f32>) -> tensor<16x8xf32>
    %4 = stablehlo.pad %1, %zero, low = [15, 0], high = [0, 0], interior = [0, 0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<16x8xf32>
    %5 = stablehlo.add %3, %4 : tensor<16x8xf32>
    %6 = stablehlo.slice %s [5:8, 0:4] : (tensor<8x4xf32>) -> tensor<3x4xf32>
    %7 = stablehlo.slice %s [0:5, 0:4] : (tensor<8x4xf32>) -> tensor<5x4xf32>
    %8 = stablehlo.concatenate %6, %7, dim = 0 : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<8x4xf32>
    return %0, %5, %8 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<8x4xf32>
  }
}
//| --- collectives devices=8
//| 3 permute: 80 bytes
//| 0 flops in contractions
//| --- equal devices=8 seeds=2
