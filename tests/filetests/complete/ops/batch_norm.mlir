// test complete values
// Statistics are split as the features.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %f1: tensor<6xf32>,
    %f2: tensor<6xf32>,
    %b0: tensor<4x6xf32>,
    %b1: tensor<6xf32>,
    %b2: tensor<6xf32>
) -> (
    tensor<4x6xf32>,
    tensor<6xf32>,
    tensor<6xf32>,
    tensor<4x6xf32>,
    tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
    tensor<6xf32>
) {
  %fout:3 = "stablehlo.batch_norm_training"(%f0, %f1, %f2) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>)
  %bout:3 = "stablehlo.batch_norm_training"(%b0, %b1, %b2) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>)
  return %fout#0, %fout#1, %fout#2, %bout#0, %bout#1, %bout#2 : tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>
}
//| %f0 [{"x"}, {"y"}]
//| %f1 [{"y"}]
//| %f2 [{"y"}]
//| %b0 [{}, {"x"}]
//| %b1 [{"x"}]
//| %b2 [{"x"}]
//| %fout#0 [{}, {"y"}]
//| %fout#1 [{"y"}]
//| %fout#2 [{"y"}]
//| %bout#0 [{}, {"x"}]
//| %bout#1 [{"x"}]
//| %bout#2 [{"x"}]
