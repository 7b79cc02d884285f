// test complete values
// GSPMD figure 4: the dot alone could split its result as [x, y] or [y, x]; the elementwise ops behind it go first and
// say which. Without the order of ops it comes out otherwise (a unit test of the library shows that).
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %bd: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %df: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>},
    %fd: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %bias: tensor<16xf32>,
    %given: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) -> tensor<4x8xf32> {
  %bf = stablehlo.dot_general %bd, %df, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %wide = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<16xf32>) -> tensor<4x16xf32>
  %sum = stablehlo.add %bf, %wide : tensor<4x16xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<4x16xf32>
  %relu = stablehlo.maximum %sum, %zero : tensor<4x16xf32>
  %both = stablehlo.add %relu, %given : tensor<4x16xf32>
  %out = stablehlo.dot_general %both, %fd, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  return %out : tensor<4x8xf32>
}
//| %bd [{"x"}, {"y"}]
//| %df [{"y"}, {"x"}]
//| %fd [{"x"}, {"y"}]
//| %bias [{"y"}]
//| %given [{"x"}, {"y"}]
//| %bf [{"x"}, {"y"}]
//| %wide [{"x"}, {"y"}]
//| %sum [{"x"}, {"y"}]
//| %zero [{"x"}, {"y"}]
//| %relu [{"x"}, {"y"}]
//| %both [{"x"}, {"y"}]
//| %out [{"x"}, {"y"}]
