// test complete values
// All inputs of one reduction are split alike.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %f1: tensor<4x6xi32>,
    %f2: tensor<f32>,
    %f3: tensor<i32>,
    %b0: tensor<4x6xf32>,
    %b1: tensor<4x6xi32>,
    %b2: tensor<f32>,
    %b3: tensor<i32>
) -> (
    tensor<4xf32>,
    tensor<4xi32>,
    tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
    tensor<4xi32>
) {
  %fout:2 = stablehlo.reduce(%f0 init: %f2), (%f1 init: %f3) across dimensions = [1] : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%fa: tensor<f32>, %fb: tensor<f32>) (%fc: tensor<i32>, %fd: tensor<i32>)  {
    %fg = stablehlo.compare GE, %fa, %fb : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %fh = stablehlo.select %fg, %fa, %fb : tensor<i1>, tensor<f32>
    %fi = stablehlo.select %fg, %fc, %fd : tensor<i1>, tensor<i32>
    stablehlo.return %fh, %fi : tensor<f32>, tensor<i32>
  }
  %bout:2 = stablehlo.reduce(%b0 init: %b2), (%b1 init: %b3) across dimensions = [1] : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%ba: tensor<f32>, %bb: tensor<f32>) (%bc: tensor<i32>, %bd: tensor<i32>)  {
    %bg = stablehlo.compare GE, %ba, %bb : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %bh = stablehlo.select %bg, %ba, %bb : tensor<i1>, tensor<f32>
    %bi = stablehlo.select %bg, %bc, %bd : tensor<i1>, tensor<i32>
    stablehlo.return %bh, %bi : tensor<f32>, tensor<i32>
  }
  return %fout#0, %fout#1, %bout#0, %bout#1 : tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xi32>
}
//| %f0 [{"x"}, {"y"}]
//| %f1 [{"x"}, {"y"}]
//| %b0 [{"x"}, {}]
//| %b1 [{"x"}, {}]
//| %fout#0 [{"x"}]
//| %fout#1 [{"x"}]
//| %bout#0 [{"x"}]
//| %bout#1 [{"x"}]
