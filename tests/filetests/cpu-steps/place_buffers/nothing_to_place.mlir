// test cpu-steps place_buffers
// Parameters and results lie where the caller has them.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
//| unchanged
