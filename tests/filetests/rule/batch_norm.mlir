// test rule BatchNorm
// Features pass. Where statistics are taken over the other dims, these stay together.
func.func public @main(%x: tensor<4x6xf32>, %v: tensor<6xf32>) -> tensor<4x6xf32> {
  %t, %mean, %variance = "stablehlo.batch_norm_training"(%x, %v, %v) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>)
  %i = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  return %i : tensor<4x6xf32>
}
//| %t, %mean, %variance = batch_norm_training: ([i, j], [j], [j])->([i, j], [j], [j]) {i=4, j=6} need_replication={i}
//| %i = batch_norm_inference: ([i, j], [j], [j], [j], [j])->([i, j]) {i=4, j=6}
