// test complete values
// Keys and values are split alike.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %f1: tensor<4x6xi32>,
    %b0: tensor<4x6xf32>,
    %b1: tensor<4x6xi32>
) -> (
    tensor<4x6xf32>,
    tensor<4x6xi32>,
    tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>},
    tensor<4x6xi32>
) {
  %fout:2 = "stablehlo.sort"(%f0, %f1) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%fa: tensor<f32>, %fb: tensor<f32>, %fc: tensor<i32>, %fd: tensor<i32>):
    %fe = stablehlo.compare LT, %fa, %fb : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %fe : tensor<i1>
  }) : (tensor<4x6xf32>, tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>)
  %bout:2 = "stablehlo.sort"(%b0, %b1) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%ba: tensor<f32>, %bb: tensor<f32>, %bc: tensor<i32>, %bd: tensor<i32>):
    %be = stablehlo.compare LT, %ba, %bb : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %be : tensor<i1>
  }) : (tensor<4x6xf32>, tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>)
  return %fout#0, %fout#1, %bout#0, %bout#1 : tensor<4x6xf32>, tensor<4x6xi32>, tensor<4x6xf32>, tensor<4x6xi32>
}
//| %f0 [{"x"}, {}]
//| %f1 [{"x"}, {}]
//| %b0 [{"y"}, {}]
//| %b1 [{"y"}, {}]
//| %fout#0 [{"x"}, {}]
//| %fout#1 [{"x"}, {}]
//| %bout#0 [{"y"}, {}]
//| %bout#1 [{"y"}, {}]
