// test opt cse
// One branch runs: what the other computes is not there.
module {
  func.func public @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.if"(%p) ({
      %1 = stablehlo.sine %x : tensor<4xf32>
      stablehlo.return %1 : tensor<4xf32>
    }, {
      %2 = stablehlo.sine %x : tensor<4xf32>
      %3 = stablehlo.negate %2 : tensor<4xf32>
      stablehlo.return %3 : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
//| unchanged
