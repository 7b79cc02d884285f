module @jit_spectra attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x8xf64>, %arg1: tensor<3x5xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = call @fft(%arg0) : (tensor<3x8xf64>) -> tensor<3x5xcomplex<f64>>
    %1 = stablehlo.convert %arg1 : (tensor<3x5xf64>) -> tensor<3x5xcomplex<f64>>
    %2 = stablehlo.multiply %0, %1 : tensor<3x5xcomplex<f64>>
    %3 = call @fft_0(%2) : (tensor<3x5xcomplex<f64>>) -> tensor<3x8xf64>
    %4 = stablehlo.multiply %3, %3 : tensor<3x8xf64>
    %5 = stablehlo.multiply %4, %3 : tensor<3x8xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x8xf64>, tensor<f64>) -> tensor<f64>
    %7 = call @fft_1(%arg0) : (tensor<3x8xf64>) -> tensor<3x8xcomplex<f64>>
    %8 = stablehlo.abs %7 : (tensor<3x8xcomplex<f64>>) -> tensor<3x8xf64>
    %cst_0 = stablehlo.constant dense<1.500000e+00> : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3x8xf64>
    %10 = stablehlo.power %8, %9 : tensor<3x8xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %11 = stablehlo.reduce(%10 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x8xf64>, tensor<f64>) -> tensor<f64>
    %12 = stablehlo.add %6, %11 : tensor<f64>
    return %12 : tensor<f64>
  }
  func.func private @fft(%arg0: tensor<3x8xf64>) -> tensor<3x5xcomplex<f64>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [8] : (tensor<3x8xf64>) -> tensor<3x5xcomplex<f64>>
    return %0 : tensor<3x5xcomplex<f64>>
  }
  func.func private @fft_0(%arg0: tensor<3x5xcomplex<f64>>) -> tensor<3x8xf64> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [8] : (tensor<3x5xcomplex<f64>>) -> tensor<3x8xf64>
    return %0 : tensor<3x8xf64>
  }
  func.func private @fft_1(%arg0: tensor<3x8xf64>) -> tensor<3x8xcomplex<f64>> {
    %0 = stablehlo.convert %arg0 : (tensor<3x8xf64>) -> tensor<3x8xcomplex<f64>>
    %1 = stablehlo.fft %0, type = FFT, length = [3, 8] : (tensor<3x8xcomplex<f64>>) -> tensor<3x8xcomplex<f64>>
    return %1 : tensor<3x8xcomplex<f64>>
  }
}
