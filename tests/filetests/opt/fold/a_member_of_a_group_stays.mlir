// test opt fold
// test equal
// A pad by nothing is its operand, but what a group says of it is not said of its operand, which is split otherwise.
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.pad %a, %zero, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    sdy.sharding_group %0 group_id=7 : tensor<4x4xf32>
    sdy.sharding_group %b group_id=7 : tensor<4x4xf32>
    %1 = stablehlo.negate %0 : tensor<4x4xf32>
    return %1, %b : tensor<4x4xf32>, tensor<4x4xf32>
  }
}
//| --- opt fold
//| unchanged
//| --- equal
