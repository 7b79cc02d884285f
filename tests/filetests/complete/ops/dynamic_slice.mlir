// test complete values
// Dims taken whole pass.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
    %f1: tensor<i32>,
    %f2: tensor<i32>,
    %b0: tensor<8x6xf32>,
    %b1: tensor<i32>,
    %b2: tensor<i32>
) -> (
    tensor<2x6xf32>,
    tensor<2x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}
) {
  %fout = stablehlo.dynamic_slice %f0, %f1, %f2, sizes = [2, 6] : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
  %bout = stablehlo.dynamic_slice %b0, %b1, %b2, sizes = [2, 6] : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
  return %fout, %bout : tensor<2x6xf32>, tensor<2x6xf32>
}
//| %f0 [{}, {"y"}]
//| %b0 [{}, {"x"}]
//| %fout [{}, {"y"}]
//| %bout [{}, {"x"}]
