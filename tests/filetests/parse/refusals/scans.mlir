// test parse
// A scan is refused where its operands or its body do not fit the dim it goes along.
func.func @main(%a: tensor<4x6xf32>, %c: tensor<4xf32>, %i: tensor<4xi32>) {
  %0 = "chlo.scan"(%a, %c) <{dimension = 1 : i64, operandSegmentSizes = array<i64: 1, 2>}> ({ //~ ERROR `operandSegmentSizes` must be two numbers that add up to 2, the operands
  ^bb0(%x: tensor<4xf32>, %s: tensor<4xf32>):
    stablehlo.return %s, %s : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>
  %1:2 = chlo.scan(%a) inits (%c) dimension=99999999999999999999 { //~ ERROR this number is out of range
  ^bb0(%x: tensor<4xf32>, %s: tensor<4xf32>):
    stablehlo.return %s, %s : tensor<4xf32>, tensor<4xf32>
  } : (tensor<4x6xf32>, tensor<4xf32>) -> (tensor<4x6xf32>, tensor<4xf32>)
  %2:2 = chlo.scan(%a) inits (%c) dimension=1 { //~ ERROR a result of 1 dims has no dim 1
  ^bb0(%x: tensor<4xf32>, %s: tensor<4xf32>):
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    stablehlo.return %z, %s : tensor<f32>, tensor<4xf32>
  } : (tensor<4x6xf32>, tensor<4xf32>) -> (tensor<6xf32>, tensor<4xf32>)
  %3 = "stablehlo.sort"(%i) <{dimension = -2 : i64}> ({ //~ ERROR dim -2 is asked of a value with 1 dims
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %l = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  }) : (tensor<4xi32>) -> tensor<4xi32>
  return
}
