module {
  func.func public @main(%a: tensor<2x3xi32>) -> (tensor<3x2xi32>, tensor<6xi8>) {
    %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
    %1 = stablehlo.reshape %a : (tensor<2x3xi32>) -> tensor<6xi32>
    %2 = stablehlo.convert %1 : (tensor<6xi32>) -> tensor<6xi8>
    return %0, %2 : tensor<3x2xi32>, tensor<6xi8>
  }
}
