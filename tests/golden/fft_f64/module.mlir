module @jit_fft_f64 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xf64>, %arg1: tensor<5xcomplex<f64>>) -> (tensor<5xcomplex<f64>> {jax.result_info = "result[0]"}, tensor<3xcomplex<f64>> {jax.result_info = "result[1]"}, tensor<8xf64> {jax.result_info = "result[2]"}, tensor<5xf64> {jax.result_info = "result[3]"}) {
    %0 = call @fft(%arg1) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
    %1 = call @fft_0(%arg0) : (tensor<5xf64>) -> tensor<3xcomplex<f64>>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = call @_pad(%arg1, %c) : (tensor<5xcomplex<f64>>, tensor<i64>) -> tensor<5xcomplex<f64>>
    %3 = call @fft_1(%2) : (tensor<5xcomplex<f64>>) -> tensor<8xf64>
    %4 = call @fft_2(%arg0) : (tensor<5xf64>) -> tensor<3xcomplex<f64>>
    %5 = stablehlo.abs %4 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
    %6 = stablehlo.real %4 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
    %7 = stablehlo.imag %4 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
    %8 = stablehlo.negate %7 : tensor<3xf64>
    %9 = stablehlo.complex %6, %8 : tensor<3xcomplex<f64>>
    %10 = stablehlo.convert %5 : (tensor<3xf64>) -> tensor<3xcomplex<f64>>
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f64>>) -> tensor<3xcomplex<f64>>
    %12 = stablehlo.compare EQ, %10, %11, FLOAT : (tensor<3xcomplex<f64>>, tensor<3xcomplex<f64>>) -> tensor<3xi1>
    %cst_0 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f64>>) -> tensor<3xcomplex<f64>>
    %14 = stablehlo.select %12, %13, %10 : tensor<3xi1>, tensor<3xcomplex<f64>>
    %15 = stablehlo.divide %9, %14 : tensor<3xcomplex<f64>>
    %16 = stablehlo.multiply %5, %5 : tensor<3xf64>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %17 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %18 = stablehlo.multiply %17, %5 : tensor<3xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %19 = stablehlo.reduce(%16 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %20 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %21 = stablehlo.multiply %20, %18 : tensor<3xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %22 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %23 = stablehlo.complex %21, %22 : tensor<3xcomplex<f64>>
    %24 = stablehlo.multiply %23, %15 : tensor<3xcomplex<f64>>
    %25 = call @fft_3(%24) : (tensor<3xcomplex<f64>>) -> tensor<5xf64>
    return %0, %1, %3, %25 : tensor<5xcomplex<f64>>, tensor<3xcomplex<f64>>, tensor<8xf64>, tensor<5xf64>
  }
  func.func private @fft(%arg0: tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [5] : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
    return %0 : tensor<5xcomplex<f64>>
  }
  func.func private @fft_0(%arg0: tensor<5xf64>) -> tensor<3xcomplex<f64>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [5] : (tensor<5xf64>) -> tensor<3xcomplex<f64>>
    return %0 : tensor<3xcomplex<f64>>
  }
  func.func private @_pad(%arg0: tensor<5xcomplex<f64>>, %arg1: tensor<i64>) -> tensor<5xcomplex<f64>> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<complex<f64>>
    %1 = stablehlo.pad %arg0, %0, low = [0], high = [0], interior = [0] : (tensor<5xcomplex<f64>>, tensor<complex<f64>>) -> tensor<5xcomplex<f64>>
    return %1 : tensor<5xcomplex<f64>>
  }
  func.func private @fft_1(%arg0: tensor<5xcomplex<f64>>) -> tensor<8xf64> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [8] : (tensor<5xcomplex<f64>>) -> tensor<8xf64>
    return %0 : tensor<8xf64>
  }
  func.func private @fft_2(%arg0: tensor<5xf64>) -> tensor<3xcomplex<f64>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [5] : (tensor<5xf64>) -> tensor<3xcomplex<f64>>
    return %0 : tensor<3xcomplex<f64>>
  }
  func.func private @fft_3(%arg0: tensor<3xcomplex<f64>>) -> tensor<5xf64> {
    %0 = call @_rfft_transpose(%arg0) : (tensor<3xcomplex<f64>>) -> tensor<5xf64>
    return %0 : tensor<5xf64>
  }
  func.func private @_rfft_transpose(%arg0: tensor<3xcomplex<f64>>) -> tensor<5xf64> {
    %cst = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f64>>) -> tensor<3xcomplex<f64>>
    %cst_0 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f64>>) -> tensor<1xcomplex<f64>>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.dynamic_update_slice %0, %1, %c : (tensor<3xcomplex<f64>>, tensor<1xcomplex<f64>>, tensor<i64>) -> tensor<3xcomplex<f64>>
    %3 = stablehlo.real %arg0 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
    %4 = stablehlo.imag %arg0 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
    %5 = stablehlo.negate %4 : tensor<3xf64>
    %6 = stablehlo.complex %3, %5 : tensor<3xcomplex<f64>>
    %7 = stablehlo.divide %6, %2 : tensor<3xcomplex<f64>>
    %8 = call @fft_4(%7) : (tensor<3xcomplex<f64>>) -> tensor<5xf64>
    %cst_1 = stablehlo.constant dense<5.000000e+00> : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %10 = stablehlo.multiply %9, %8 : tensor<5xf64>
    return %10 : tensor<5xf64>
  }
  func.func private @fft_4(%arg0: tensor<3xcomplex<f64>>) -> tensor<5xf64> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [5] : (tensor<3xcomplex<f64>>) -> tensor<5xf64>
    return %0 : tensor<5xf64>
  }
}
