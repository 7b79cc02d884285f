// test opt fold
// Two transposes could be one, but which of them runs where is for cost to decide; an annotation is law.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%x: tensor<2x3x4xf32>, %n: tensor<4xi32>) -> (tensor<4x2x3xf32>, tensor<4xi32>) {
    %0 = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
    %1 = stablehlo.transpose %0, dims = [1, 2, 0] : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
    %zero = stablehlo.constant dense<0> : tensor<4xi32>
    %2 = stablehlo.add %n, %zero {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xi32>
    return %1, %2 : tensor<4x2x3xf32>, tensor<4xi32>
  }
}
//| unchanged
