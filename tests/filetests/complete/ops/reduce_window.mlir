// test complete values
// Windows slide over split dims too.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %f1: tensor<f32>,
    %b0: tensor<4x8xf32>,
    %b1: tensor<f32>
) -> (
    tensor<4x8xf32>,
    tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = "stablehlo.reduce_window"(%f0, %f1) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%fa: tensor<f32>, %fb: tensor<f32>):
    %fc = stablehlo.add %fa, %fb : tensor<f32>
    stablehlo.return %fc : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %bout = "stablehlo.reduce_window"(%b0, %b1) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%ba: tensor<f32>, %bb: tensor<f32>):
    %bc = stablehlo.add %ba, %bb : tensor<f32>
    stablehlo.return %bc : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %fout, %bout : tensor<4x8xf32>, tensor<4x8xf32>
}
//| %f0 [{"x"}, {"y"}]
//| %b0 [{"x"}, {"y"}]
//| %fout [{"x"}, {"y"}]
//| %bout [{"x"}, {"y"}]
