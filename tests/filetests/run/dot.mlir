// test run
// [[1, 2], [3, 4]] times [[1, 0], [0, 2]], and its transpose.
func.func public @main() -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[1.0, 0.0], [0.0, 2.0]]> : tensor<2x2xf32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<2x2xf32>
}
//| 0: f32[2,2] [[1.0, 4.0], [3.0, 8.0]]
//| 1: f32[2,2] [[1.0, 3.0], [4.0, 8.0]]
