// test complete values
// Made where they are used: the result alone has dims.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<2xui64>,
    %b0: tensor<2xui64>
) -> (
    tensor<4x6xui32>,
    tensor<4x6xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
) {
  %fstate, %fout = stablehlo.rng_bit_generator %f0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x6xui32>)
  %bstate, %bout = stablehlo.rng_bit_generator %b0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x6xui32>)
  return %fout, %bout : tensor<4x6xui32>, tensor<4x6xui32>
}
//| %f0 [{}]
//| %b0 [{}]
//| %fstate [{}]
//| %fout [{}, {}]
//| %bstate [{}]
//| %bout [{"x"}, {"y"}]
