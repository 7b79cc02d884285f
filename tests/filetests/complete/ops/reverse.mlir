// test complete values
// Order does not matter for who holds how much: reversed dims pass too.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %b0: tensor<4x6xf32>
) -> (
    tensor<4x6xf32>,
    tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = stablehlo.reverse %f0, dims = [0] : tensor<4x6xf32>
  %bout = stablehlo.reverse %b0, dims = [0] : tensor<4x6xf32>
  return %fout, %bout : tensor<4x6xf32>, tensor<4x6xf32>
}
//| %f0 [{"x"}, {"y"}]
//| %b0 [{"x"}, {"y"}]
//| %fout [{"x"}, {"y"}]
//| %bout [{"x"}, {"y"}]
