// test collectives
// test equal devices=4
// Two lines of 64, split over 4 devices: one dim after another, and as 2 lines cannot take the split of 4, the long dim in two.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<2x64xf64> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<2x64xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) {
    %c = stablehlo.complex %a, %a : tensor<2x64xcomplex<f64>>
    %0 = stablehlo.fft %c, type = FFT, length = [2, 64] : (tensor<2x64xcomplex<f64>>) -> tensor<2x64xcomplex<f64>>
    %1 = stablehlo.real %0 : (tensor<2x64xcomplex<f64>>) -> tensor<2x64xf64>
    %2 = stablehlo.convert %1 : (tensor<2x64xf64>) -> tensor<2x64xf32>
    return %2 : tensor<2x64xf32>
  }
}
//| --- collectives
//| 3 all-to-all over {"x"}: 1152 bytes
//| 0 flops in contractions
//| --- equal devices=4
