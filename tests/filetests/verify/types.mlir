// test verify
// Result types are inferred again and compared; operands must fit the op.
func.func public @main(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %n: tensor<4x8xi32>) -> tensor<4x8xf32> {
  %0 = stablehlo.add %a, %b : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x8xf32> //~ ERROR add
  %1 = stablehlo.tanh %n : tensor<4x8xi32> //~ ERROR tanh
  %2 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<4x8xf32> //~ ERROR transpose
  %3 = stablehlo.reshape %a : (tensor<4x8xf32>) -> tensor<5x8xf32> //~ ERROR reshape
  return %a : tensor<4x8xf32>
}
