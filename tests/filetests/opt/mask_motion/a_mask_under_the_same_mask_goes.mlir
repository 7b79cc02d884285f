// test opt mask_motion
// Where the predicate is not set, nobody sees the sum. The first select is left to `dce`.
module {
  func.func public @main(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<4xf32>
    %a = stablehlo.select %p, %x, %z : tensor<4xi1>, tensor<4xf32>
    %b = stablehlo.add %a, %y : tensor<4xf32>
    %r = stablehlo.select %p, %b, %z : tensor<4xi1>, tensor<4xf32>
    return %r : tensor<4xf32>
  }
}
//| module {
//|   func.func public @main(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
//|     %z = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
//|     %a = stablehlo.select %p, %x, %z : tensor<4xi1>, tensor<4xf32>
//|     %b = stablehlo.add %x, %y : tensor<4xf32>
//|     %r = stablehlo.select %p, %b, %z : tensor<4xi1>, tensor<4xf32>
//|     return %r : tensor<4xf32>
//|   }
//| }
