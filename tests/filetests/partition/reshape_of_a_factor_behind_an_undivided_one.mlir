// test equal seeds=3
// The second factor of a product cannot be split where the first is not: nothing may be dropped unsaid.
module {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<12x2x3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {}]>}) -> (tensor<2x3x36xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
    %0 = stablehlo.reshape %arg0 : (tensor<12x2x3x3xf32>) -> tensor<2x3x36xf32>
    return %0 : tensor<2x3x36xf32>
  }
}
