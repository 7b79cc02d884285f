// test complete values
// Each user has its own copy, split as it needs it.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %b0: tensor<4x6xi32>
) -> (
    tensor<4x6xi32>,
    tensor<4x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fi = stablehlo.iota dim = 0 : tensor<4x6xi32>
  %fc = stablehlo.constant dense<3> : tensor<4x6xi32>
  %fs = stablehlo.add %fi, %fc : tensor<4x6xi32>
  %fout = stablehlo.add %f0, %fs : tensor<4x6xi32>
  %bi = stablehlo.iota dim = 0 : tensor<4x6xi32>
  %bc = stablehlo.constant dense<3> : tensor<4x6xi32>
  %bs = stablehlo.add %bi, %bc : tensor<4x6xi32>
  %bout = stablehlo.add %b0, %bs : tensor<4x6xi32>
  return %fout, %bout : tensor<4x6xi32>, tensor<4x6xi32>
}
//| %f0 [{"x"}, {"y"}]
//| %b0 [{"x"}, {"y"}]
//| %fi [{"x"}, {"y"}]
//| %fc [{"x"}, {"y"}]
//| %fs [{"x"}, {"y"}]
//| %fout [{"x"}, {"y"}]
//| %bs [{"x"}, {"y"}]
//| %bout [{"x"}, {"y"}]
