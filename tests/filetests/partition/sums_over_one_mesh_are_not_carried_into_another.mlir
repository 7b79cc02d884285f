// test equal seeds=2
// The first product is a partial sum over the third axis of @mesh; @other has only two.
module {
  sdy.mesh @mesh = <["x"=2, "y"=1, "z"=3]>
  sdy.mesh @other = <["x"=3, "y"=2]>
  func.func public @main(%a: tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z"}]>}, %b: tensor<3x2xf32>, %c: tensor<2x2xf32>) -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@other, [{}, {"y"}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
    %1 = stablehlo.dot_general %0, %c, contracting_dims = [1] x [0] : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
    return %1 : tensor<4x2xf32>
  }
}
