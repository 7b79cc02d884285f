module @jit_fft_2d_3d attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x4xcomplex<f32>>, %arg1: tensor<2x4x6xf32>) -> (tensor<2x3x4xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<2x3x4xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<2x4x4xcomplex<f32>> {jax.result_info = "result[2]"}, tensor<2x3x6xf32> {jax.result_info = "result[3]"}, tensor<2x4x4xcomplex<f32>> {jax.result_info = "result[4]"}, tensor<2x3x4xcomplex<f32>> {jax.result_info = "result[5]"}) {
    %0 = call @fft(%arg0) : (tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>>
    %1 = call @fft_0(%arg0) : (tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>>
    %2 = call @fft_1(%arg1) : (tensor<2x4x6xf32>) -> tensor<2x4x4xcomplex<f32>>
    %3 = call @fft_2(%arg0) : (tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x6xf32>
    %4 = call @fft_3(%arg1) : (tensor<2x4x6xf32>) -> tensor<2x4x4xcomplex<f32>>
    %5 = call @fft_4(%arg0) : (tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>>
    return %0, %1, %2, %3, %4, %5 : tensor<2x3x4xcomplex<f32>>, tensor<2x3x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>, tensor<2x3x6xf32>, tensor<2x4x4xcomplex<f32>>, tensor<2x3x4xcomplex<f32>>
  }
  func.func private @fft(%arg0: tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [3, 4] : (tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>>
    return %0 : tensor<2x3x4xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = IFFT, length = [2, 3, 4] : (tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>>
    return %0 : tensor<2x3x4xcomplex<f32>>
  }
  func.func private @fft_1(%arg0: tensor<2x4x6xf32>) -> tensor<2x4x4xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [4, 6] : (tensor<2x4x6xf32>) -> tensor<2x4x4xcomplex<f32>>
    return %0 : tensor<2x4x4xcomplex<f32>>
  }
  func.func private @fft_2(%arg0: tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x6xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [2, 3, 6] : (tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x6xf32>
    return %0 : tensor<2x3x6xf32>
  }
  func.func private @fft_3(%arg0: tensor<2x4x6xf32>) -> tensor<2x4x4xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [2, 4, 6] : (tensor<2x4x6xf32>) -> tensor<2x4x4xcomplex<f32>>
    return %0 : tensor<2x4x4xcomplex<f32>>
  }
  func.func private @fft_4(%arg0: tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>> {
    %0 = call @fft_5(%arg0) : (tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>>
    return %0 : tensor<2x3x4xcomplex<f32>>
  }
  func.func private @fft_5(%arg0: tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [4] : (tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>>
    return %0 : tensor<2x3x4xcomplex<f32>>
  }
}
