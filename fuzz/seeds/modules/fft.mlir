// test complete values
// Batch dims pass, the transformed one does not.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x8xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %b0: tensor<4x8xcomplex<f32>>
) -> (
    tensor<4x8xcomplex<f32>>,
    tensor<4x8xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}
) {
  %fout = stablehlo.fft %f0, type = FFT, length = [8] : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
  %bout = stablehlo.fft %b0, type = FFT, length = [8] : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
  return %fout, %bout : tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>
}
//| %f0 [{"x"}, {}]
//| %b0 [{"y"}, {}]
//| %fout [{"x"}, {}]
//| %bout [{"y"}, {}]
