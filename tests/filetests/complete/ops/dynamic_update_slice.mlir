// test complete values
// The operand and the result are one; the update shares the dims it fills.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %f1: tensor<2x6xf32>,
    %f2: tensor<i32>,
    %f3: tensor<i32>,
    %b0: tensor<8x6xf32>,
    %b1: tensor<2x6xf32>,
    %b2: tensor<i32>,
    %b3: tensor<i32>
) -> (
    tensor<8x6xf32>,
    tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = stablehlo.dynamic_update_slice %f0, %f1, %f2, %f3 : (tensor<8x6xf32>, tensor<2x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
  %bout = stablehlo.dynamic_update_slice %b0, %b1, %b2, %b3 : (tensor<8x6xf32>, tensor<2x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
  return %fout, %bout : tensor<8x6xf32>, tensor<8x6xf32>
}
//| %f0 [{"x"}, {"y"}]
//| %f1 [{}, {"y"}]
//| %b0 [{"x"}, {"y"}]
//| %b1 [{}, {"y"}]
//| %fout [{"x"}, {"y"}]
//| %bout [{"x"}, {"y"}]
