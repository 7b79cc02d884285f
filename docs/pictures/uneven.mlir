sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func public @main(
    %tokens: tensor<6x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %experts: tensor<10x16xf32>,
    %bias: tensor<16xf32>
) -> tensor<6x16xf32> {
  %mixed = stablehlo.dot_general %tokens, %experts, contracting_dims = [1] x [0] : (tensor<6x10xf32>, tensor<10x16xf32>) -> tensor<6x16xf32>
  %wide = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<16xf32>) -> tensor<6x16xf32>
  %sum = stablehlo.add %mixed, %wide : tensor<6x16xf32>
  return %sum : tensor<6x16xf32>
}
