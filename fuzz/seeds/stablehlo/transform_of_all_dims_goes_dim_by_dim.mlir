// test collectives
// test equal devices=4
// Rows are split: columns are transformed in place, then each device gets columns (an all-to-all), and rows come back. What is
// compared is rounded: the order of sums is another.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<8x16xf64> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %c = stablehlo.complex %a, %a : tensor<8x16xcomplex<f64>>
    %0 = stablehlo.fft %c, type = FFT, length = [8, 16] : (tensor<8x16xcomplex<f64>>) -> tensor<8x16xcomplex<f64>>
    %1 = stablehlo.real %0 : (tensor<8x16xcomplex<f64>>) -> tensor<8x16xf64>
    %2 = stablehlo.convert %1 : (tensor<8x16xf64>) -> tensor<8x16xf32>
    return %2 : tensor<8x16xf32>
  }
}
//| --- collectives
//| 2 all-to-all over {"x"}: 768 bytes
//| 0 flops in contractions
//| --- equal devices=4
