// test complete values
// A dim that is kept whole passes; one that is cut keeps its split where the pieces stay of a size.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %b0: tensor<8x6xf32>
) -> (
    tensor<8x4xf32>,
    tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = stablehlo.slice %f0 [0:8, 0:4] : (tensor<8x6xf32>) -> tensor<8x4xf32>
  %bout = stablehlo.slice %b0 [0:8, 0:4] : (tensor<8x6xf32>) -> tensor<8x4xf32>
  return %fout, %bout : tensor<8x4xf32>, tensor<8x4xf32>
}
//| %f0 [{"x"}, {"y"}]
//| %b0 [{"x"}, {"y"}]
//| %fout [{"x"}, {"y"}]
//| %bout [{"x"}, {"y"}]
