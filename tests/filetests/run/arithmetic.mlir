// test run seeds=2
// Made-up floats are multiples of 1/4, so the results are exact.
func.func public @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %n: tensor<3xi32>, %p: tensor<3xi1>) -> (tensor<2x3xf32>, tensor<3xi32>, tensor<3xi1>) {
  %0 = stablehlo.multiply %a, %b : tensor<2x3xf32>
  %1 = stablehlo.subtract %n, %n : tensor<3xi32>
  %2 = stablehlo.not %p : tensor<3xi1>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<3xi32>, tensor<3xi1>
}
//| seed 0
//| 0: f32[2,3] [[1.0, -4.0, 0.0], [-9.0, 3.0, 6.0]]
//| 1: s32[3] [0, 0, 0]
//| 2: pred[3] [false, false, true]
//| seed 1
//| 0: f32[2,3] [[-3.0, 6.0, 1.0], [-6.0, 6.0, 9.0]]
//| 1: s32[3] [0, 0, 0]
//| 2: pred[3] [false, true, true]
