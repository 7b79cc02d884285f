// test complete values
// Features are one factor of data, statistics and gradients.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %scale: tensor<6xf32>, %mean: tensor<6xf32>, %variance: tensor<6xf32>, %slope: tensor<4x6xf32>
) -> (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %g:3 = "stablehlo.batch_norm_grad"(%a, %scale, %mean, %variance, %slope) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>)
  return %g#0, %g#1, %g#2 : tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>
}
//| %a [{"x"}, {"y"}]
//| %scale [{"y"}]
//| %mean [{"y"}]
//| %variance [{"y"}]
//| %slope [{}, {"y"}]
//| %g#0 [{}, {"y"}]
//| %g#1 [{"y"}]
//| %g#2 [{"y"}]
