// test rule Reduce
// A reduced dim is a reduction factor with the reducer of the region; an unknown reducer makes it whole.
func.func public @main(%x: tensor<6x4xf32>, %zero: tensor<f32>) -> tensor<6xf32> {
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x4xf32>, tensor<f32>) -> tensor<6xf32>
  %max = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<6x4xf32>, tensor<f32>) -> tensor<4xf32>
  %odd = stablehlo.reduce(%x init: %zero) across dimensions = [1] : (tensor<6x4xf32>, tensor<f32>) -> tensor<6xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %1 = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %sum : tensor<6xf32>
}
//| %sum = reduce: ([i, j], [])->([i]) {i=6, j=4} reduction={j}
//| %max = reduce: ([i, j], [])->([j]) {i=6, j=4} reduction={i}
//| %odd = reduce: ([i, j], [])->([i]) {i=6, j=4} permutation={j}
