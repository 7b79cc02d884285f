// test collectives
// test equal devices=4
// One line of 64 over 4 devices is a matrix of 4 by 16: columns, then rows are transformed, and three all-to-alls send less
// than one gather would. What is compared is rounded: the order of sums is another.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<64xf64> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<64xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    %c = stablehlo.complex %a, %a : tensor<64xcomplex<f64>>
    %0 = stablehlo.fft %c, type = IFFT, length = [64] : (tensor<64xcomplex<f64>>) -> tensor<64xcomplex<f64>>
    %1 = stablehlo.imag %0 : (tensor<64xcomplex<f64>>) -> tensor<64xf64>
    %2 = stablehlo.convert %1 : (tensor<64xf64>) -> tensor<64xf32>
    return %2 : tensor<64xf32>
  }
}
//| --- collectives
//| 3 all-to-all over {"x"}: 576 bytes
//| 0 flops in contractions
//| --- equal devices=4
