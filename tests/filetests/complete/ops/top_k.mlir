// test complete values
// The dim that is searched gives its split to nobody.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %b0: tensor<4x16xf32>
) -> (
    tensor<4x2xf32>,
    tensor<4x2xi32>,
    tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    tensor<4x2xi32>
) {
  %fout:2 = chlo.top_k(%f0, k = 2) : tensor<4x16xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  %bout:2 = chlo.top_k(%b0, k = 2) : tensor<4x16xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %fout#0, %fout#1, %bout#0, %bout#1 : tensor<4x2xf32>, tensor<4x2xi32>, tensor<4x2xf32>, tensor<4x2xi32>
}
//| %f0 [{"x"}, {"y"}]
//| %b0 [{"x"}, {}]
//| %fout#0 [{"x"}, {}]
//| %fout#1 [{"x"}, {}]
//| %bout#0 [{"x"}, {}]
//| %bout#1 [{"x"}, {}]
