// test collectives
// test equal devices=16
// There and back over 16 devices: complex numbers on the way. Half of what comes out is kept; for the way back it is mirrored.
// A gather each way would send 15 pieces of 32 numbers and of 17 pairs. What is compared is rounded: the order of sums is another.
module {
  sdy.mesh @m = <["x"=16]>
  func.func public @main(%a: tensor<512xf64> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<512xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<512xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<257xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    %0 = stablehlo.fft %a, type = RFFT, length = [512] : (tensor<512xf64>) -> tensor<257xcomplex<f64>>
    %i = stablehlo.imag %0 : (tensor<257xcomplex<f64>>) -> tensor<257xf64>
    %r = stablehlo.real %0 : (tensor<257xcomplex<f64>>) -> tensor<257xf64>
    %n = stablehlo.abs %r : tensor<257xf64>
    %c = stablehlo.complex %n, %i : tensor<257xcomplex<f64>>
    %s = sdy.sharding_constraint %c <@m, [{"x"}]> : tensor<257xcomplex<f64>>
    %1 = stablehlo.fft %s, type = IRFFT, length = [512] : (tensor<257xcomplex<f64>>) -> tensor<512xf64>
    %2 = stablehlo.convert %1 : (tensor<512xf64>) -> tensor<512xf32>
    %3 = stablehlo.convert %a : (tensor<512xf64>) -> tensor<512xf32>
    %4 = stablehlo.convert %i : (tensor<257xf64>) -> tensor<257xf32>
    return %2, %3, %4 : tensor<512xf32>, tensor<512xf32>, tensor<257xf32>
  }
}
//| --- collectives
//| 6 all-to-all over {"x"}: 2880 bytes
//| 13 permute: 3184 bytes
//| 0 flops in contractions
//| --- equal devices=16
