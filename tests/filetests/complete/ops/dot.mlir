// test complete values
// Free and batch dims pass, a contracted one passes between the operands.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<2x4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>},
    %f1: tensor<2x6x8xf32>,
    %b0: tensor<2x4x6xf32>,
    %b1: tensor<2x6x8xf32>
) -> (
    tensor<2x4x8xf32>,
    tensor<2x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"y"}]>}
) {
  %fout = stablehlo.dot_general %f0, %f1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  %bout = stablehlo.dot_general %b0, %b1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %fout, %bout : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}
//| %f0 [{"x"}, {}, {"y"}]
//| %f1 [{"x"}, {"y"}, {}]
//| %b0 [{}, {"x"}, {}]
//| %b1 [{}, {}, {"y"}]
//| %fout [{"x"}, {}, {}]
//| %bout [{}, {"x"}, {"y"}]
