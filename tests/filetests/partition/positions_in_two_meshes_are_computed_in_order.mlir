// test equal seeds=3
// The position in a mesh with a device order is asked for again after that in another mesh.
module {
  sdy.mesh @mesh = <["x"=3, "y"=2], device_ids=[0, 2, 1, 3, 4, 5]>
  sdy.mesh @other = <["x"=6]>
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@other, [{}, {"x":(3)2}]>}, %arg2: tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<0xf32>) {
    %0 = stablehlo.pad %arg2, %arg0, low = [-1], high = [-1], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<0xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}]> : tensor<0xf32>
    %2 = stablehlo.constant dense<[[0.0, 2.0], [4.0, 1.0]]> : tensor<2x2xf32>
    %3 = sdy.sharding_constraint %2 <@other, [{"x"}, {}]> : tensor<2x2xf32>
    return %3, %arg1, %1 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<0xf32>
  }
}
