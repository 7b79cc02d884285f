// test rule ReduceWindow SelectAndScatter
// Dims the window leaves alone pass; the others need their neighbours.
func.func public @main(%x: tensor<4x8xf32>, %s: tensor<4x4xf32>, %z: tensor<f32>) -> tensor<4x8xf32> {
  %sum = "stablehlo.reduce_window"(%x, %z) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %back = "stablehlo.select_and_scatter"(%x, %s, %z) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%d: tensor<f32>, %e: tensor<f32>):
    %f = stablehlo.add %d, %e : tensor<f32>
    stablehlo.return %f : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %back : tensor<4x8xf32>
}
//| %sum = reduce_window: ([i, j], [])->([i, j]) {i=4, j=8} permutation={j}
//| %back = select_and_scatter: ([i, j], [i, j], [])->([i, j]) {i=4, j=8} permutation={j}
