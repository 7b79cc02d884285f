// test partition
// test equal devices=4
// jax issue 15680: batches of a Fourier transform, a factorization and a triangular solve stay where they are.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<8x16xcomplex<f64>> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<8x1x1xf64> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}) -> (tensor<8x16xcomplex<f64>>{sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<8x1x1xf64> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}) {
    %0 = stablehlo.fft %a, type = FFT, length = [16] : (tensor<8x16xcomplex<f64>>) -> tensor<8x16xcomplex<f64>>
    %1 = stablehlo.multiply %b, %b : tensor<8x1x1xf64>
    %2 = stablehlo.cholesky %1, lower = true : tensor<8x1x1xf64>
    %3 = "stablehlo.triangular_solve"(%2, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<8x1x1xf64>, tensor<8x1x1xf64>) -> tensor<8x1x1xf64>
    return %0, %3 : tensor<8x16xcomplex<f64>>, tensor<8x1x1xf64>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<2x16xcomplex<f64>>, %b: tensor<2x1x1xf64>) -> (tensor<2x16xcomplex<f64>>, tensor<2x1x1xf64>) {
//|     %0 = stablehlo.fft %a, type = FFT, length = [16] : (tensor<2x16xcomplex<f64>>) -> tensor<2x16xcomplex<f64>>
//|     %1 = stablehlo.multiply %b, %b : tensor<2x1x1xf64>
//|     %2 = stablehlo.cholesky %1, lower = true : tensor<2x1x1xf64>
//|     %3 = "stablehlo.triangular_solve"(%2, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x1x1xf64>, tensor<2x1x1xf64>) -> tensor<2x1x1xf64>
//|     return %0, %3 : tensor<2x16xcomplex<f64>>, tensor<2x1x1xf64>
//|   }
//| }
//| --- equal devices=4
