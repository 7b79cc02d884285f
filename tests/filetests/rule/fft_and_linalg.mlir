// test rule Fft Linalg
// Batch dims pass, and so do right-hand sides; transformed dims and matrices stay together.
func.func public @main(%z: tensor<4x8xcomplex<f32>>, %a: tensor<4x6x6xf32>, %b: tensor<4x6x5xf32>) -> tensor<4x6x5xf32> {
  %f = stablehlo.fft %z, type = FFT, length = [8] : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
  %c = stablehlo.cholesky %a, lower = true : tensor<4x6x6xf32>
  %s = "stablehlo.triangular_solve"(%c, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x6x6xf32>, tensor<4x6x5xf32>) -> tensor<4x6x5xf32>
  return %s : tensor<4x6x5xf32>
}
//| %f = fft: ([i, j])->([i, k]) {i=4, j=8, k=8} need_replication={j, k}
//| %c = cholesky: ([i, j, k])->([i, l, m]) {i=4, j=6, k=6, l=6, m=6} need_replication={j, k, l, m}
//| %s = triangular_solve: ([i, k, l], [i, m, j])->([i, n, j]) {i=4, j=5, k=6, l=6, m=6, n=6} need_replication={k, l, m, n}
