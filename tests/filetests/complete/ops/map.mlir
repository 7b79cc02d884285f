// test complete values
// As elementwise ops.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %f1: tensor<4x6xf32>,
    %b0: tensor<4x6xf32>,
    %b1: tensor<4x6xf32>
) -> (
    tensor<4x6xf32>,
    tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = "stablehlo.map"(%f0, %f1) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%fa: tensor<f32>, %fb: tensor<f32>):
    %fc = stablehlo.add %fa, %fb : tensor<f32>
    stablehlo.return %fc : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %bout = "stablehlo.map"(%b0, %b1) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%ba: tensor<f32>, %bb: tensor<f32>):
    %bc = stablehlo.add %ba, %bb : tensor<f32>
    stablehlo.return %bc : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %fout, %bout : tensor<4x6xf32>, tensor<4x6xf32>
}
//| %f0 [{"x"}, {"y"}]
//| %f1 [{"x"}, {"y"}]
//| %b0 [{"x"}, {"y"}]
//| %b1 [{"x"}, {"y"}]
//| %fout [{"x"}, {"y"}]
//| %bout [{"x"}, {"y"}]
