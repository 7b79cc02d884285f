module @jit_fft attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x6xcomplex<f32>>, %arg1: tensor<3x6xf32>) -> (tensor<3x6xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<3x6xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<3x4xcomplex<f32>> {jax.result_info = "result[2]"}, tensor<3x10xf32> {jax.result_info = "result[3]"}, tensor<3x9xf32> {jax.result_info = "result[4]"}, tensor<3x6xcomplex<f32>> {jax.result_info = "result[5]"}) {
    %0 = call @fft(%arg0) : (tensor<3x6xcomplex<f32>>) -> tensor<3x6xcomplex<f32>>
    %1 = call @fft_0(%arg0) : (tensor<3x6xcomplex<f32>>) -> tensor<3x6xcomplex<f32>>
    %2 = call @fft_1(%arg1) : (tensor<3x6xf32>) -> tensor<3x4xcomplex<f32>>
    %3 = call @fft_2(%arg0) : (tensor<3x6xcomplex<f32>>) -> tensor<3x10xf32>
    %4 = stablehlo.slice %arg0 [0:3, 0:5] : (tensor<3x6xcomplex<f32>>) -> tensor<3x5xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = call @_pad(%4, %c) : (tensor<3x5xcomplex<f32>>, tensor<i32>) -> tensor<3x5xcomplex<f32>>
    %6 = call @fft_3(%5) : (tensor<3x5xcomplex<f32>>) -> tensor<3x9xf32>
    %7 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x6xcomplex<f32>>) -> tensor<6x3xcomplex<f32>>
    %8 = call @fft_4(%7) : (tensor<6x3xcomplex<f32>>) -> tensor<6x3xcomplex<f32>>
    %9 = stablehlo.transpose %8, dims = [1, 0] : (tensor<6x3xcomplex<f32>>) -> tensor<3x6xcomplex<f32>>
    return %0, %1, %2, %3, %6, %9 : tensor<3x6xcomplex<f32>>, tensor<3x6xcomplex<f32>>, tensor<3x4xcomplex<f32>>, tensor<3x10xf32>, tensor<3x9xf32>, tensor<3x6xcomplex<f32>>
  }
  func.func private @fft(%arg0: tensor<3x6xcomplex<f32>>) -> tensor<3x6xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [6] : (tensor<3x6xcomplex<f32>>) -> tensor<3x6xcomplex<f32>>
    return %0 : tensor<3x6xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<3x6xcomplex<f32>>) -> tensor<3x6xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = IFFT, length = [6] : (tensor<3x6xcomplex<f32>>) -> tensor<3x6xcomplex<f32>>
    return %0 : tensor<3x6xcomplex<f32>>
  }
  func.func private @fft_1(%arg0: tensor<3x6xf32>) -> tensor<3x4xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [6] : (tensor<3x6xf32>) -> tensor<3x4xcomplex<f32>>
    return %0 : tensor<3x4xcomplex<f32>>
  }
  func.func private @fft_2(%arg0: tensor<3x6xcomplex<f32>>) -> tensor<3x10xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [10] : (tensor<3x6xcomplex<f32>>) -> tensor<3x10xf32>
    return %0 : tensor<3x10xf32>
  }
  func.func private @_pad(%arg0: tensor<3x5xcomplex<f32>>, %arg1: tensor<i32>) -> tensor<3x5xcomplex<f32>> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<complex<f32>>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<3x5xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3x5xcomplex<f32>>
    return %1 : tensor<3x5xcomplex<f32>>
  }
  func.func private @fft_3(%arg0: tensor<3x5xcomplex<f32>>) -> tensor<3x9xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [9] : (tensor<3x5xcomplex<f32>>) -> tensor<3x9xf32>
    return %0 : tensor<3x9xf32>
  }
  func.func private @fft_4(%arg0: tensor<6x3xcomplex<f32>>) -> tensor<6x3xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [3] : (tensor<6x3xcomplex<f32>>) -> tensor<6x3xcomplex<f32>>
    return %0 : tensor<6x3xcomplex<f32>>
  }
}
