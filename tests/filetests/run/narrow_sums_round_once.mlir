// test run
// 256 + 1 + 1 in bf16: each partial sum would round to 256; summing in f32 and rounding once gives 258.
func.func public @main() -> tensor<bf16> {
  %x = stablehlo.constant dense<[256.0, 1.0, 1.0]> : tensor<3xbf16>
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xbf16>, tensor<bf16>) -> tensor<bf16>
  return %0 : tensor<bf16>
}
//| 0: bf16[] 258.0
