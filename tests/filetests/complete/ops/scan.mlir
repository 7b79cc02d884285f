// test complete values
// A counted loop that reads a slice of one array and writes one of another for each step: stacked arrays are split as the
// steps' slices are, their leading dim by nobody.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %xs: tensor<5x4x6xf32>,
    %h: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) -> (tensor<4x6xf32>, tensor<5x4x6xf32>) {
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %ys0 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<5x4x6xf32>
  %r:4 = stablehlo.while(%all = %xs, %i = %i0, %s = %h, %ys = %ys0) : tensor<5x4x6xf32>, tensor<i32>, tensor<4x6xf32>, tensor<5x4x6xf32>
  cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %row = stablehlo.dynamic_slice %all, %i, %z, %z, sizes = [1, 4, 6] : (tensor<5x4x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x6xf32>
    %x = stablehlo.reshape %row : (tensor<1x4x6xf32>) -> tensor<4x6xf32>
    %t = stablehlo.add %s, %x : tensor<4x6xf32>
    %up = stablehlo.broadcast_in_dim %t, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %new = stablehlo.dynamic_update_slice %ys, %up, %i, %z, %z : (tensor<5x4x6xf32>, tensor<1x4x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x4x6xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %all, %next, %t, %new : tensor<5x4x6xf32>, tensor<i32>, tensor<4x6xf32>, tensor<5x4x6xf32>
  }
  return %r#2, %r#3 : tensor<4x6xf32>, tensor<5x4x6xf32>
}
//| %xs [{}, {"x"}, {"y"}]
//| %h [{"x"}, {"y"}]
//| %ys0 [{}, {"x"}, {"y"}]
//| %r#0 [{}, {"x"}, {"y"}]
//| %r#2 [{"x"}, {"y"}]
//| %r#3 [{}, {"x"}, {"y"}]
//| %all [{}, {"x"}, {"y"}]
//| %s [{"x"}, {"y"}]
//| %ys [{}, {"x"}, {"y"}]
//| %all [{}, {"x"}, {"y"}]
//| %s [{"x"}, {"y"}]
//| %ys [{}, {"x"}, {"y"}]
//| %row [{}, {"x"}, {"y"}]
//| %x [{"x"}, {"y"}]
//| %t [{"x"}, {"y"}]
//| %up [{}, {"x"}, {"y"}]
//| %new [{}, {"x"}, {"y"}]
