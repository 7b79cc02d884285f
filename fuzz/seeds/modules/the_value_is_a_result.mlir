// test cpu-steps sum_columns
// Who else reads the value finds it in memory.
func.func @main(%x: tensor<2048x64xf32>) -> (tensor<64xf32>, tensor<2048x64xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %q = stablehlo.multiply %x, %x : tensor<2048x64xf32>
  %s = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2048x64xf32>, tensor<f32>) -> tensor<64xf32>
  return %s, %q : tensor<64xf32>, tensor<2048x64xf32>
}
//| unchanged
