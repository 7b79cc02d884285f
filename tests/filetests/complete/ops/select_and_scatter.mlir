// test complete values
// Operand, source and result.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %f1: tensor<4x4xf32>,
    %f2: tensor<f32>,
    %b0: tensor<4x8xf32>,
    %b1: tensor<4x4xf32>,
    %b2: tensor<f32>
) -> (
    tensor<4x8xf32>,
    tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fout = "stablehlo.select_and_scatter"(%f0, %f1, %f2) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%fa: tensor<f32>, %fb: tensor<f32>):
    %fc = stablehlo.compare GE, %fa, %fb : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %fc : tensor<i1>
  }, {
  ^bb0(%fd: tensor<f32>, %fe: tensor<f32>):
    %ff = stablehlo.add %fd, %fe : tensor<f32>
    stablehlo.return %ff : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x8xf32>
  %bout = "stablehlo.select_and_scatter"(%b0, %b1, %b2) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%ba: tensor<f32>, %bb: tensor<f32>):
    %bc = stablehlo.compare GE, %ba, %bb : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %bc : tensor<i1>
  }, {
  ^bb0(%bd: tensor<f32>, %be: tensor<f32>):
    %bf = stablehlo.add %bd, %be : tensor<f32>
    stablehlo.return %bf : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %fout, %bout : tensor<4x8xf32>, tensor<4x8xf32>
}
//| %f0 [{"x"}, {"y"}]
//| %f1 [{"x"}, {"y"}]
//| %b0 [{"x"}, {"y"}]
//| %b1 [{"x"}, {"y"}]
//| %fout [{"x"}, {"y"}]
//| %bout [{"x"}, {"y"}]
