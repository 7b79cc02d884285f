module {
  sdy.mesh @m = <["x"=2]>
  func.func public @main(%a: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<2x3xf32>) -> tensor<4x3xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    %1 = stablehlo.tanh %0 : tensor<4x3xf32>
    return %1 : tensor<4x3xf32>
  }
}
