// test equal seeds=3
// Runs that begin inside a block, words of 64 and of 8 bits, three-word states, dims behind the run.
sdy.mesh @m = <["x"=4, "y"=2]>
func.func @main(%s: tensor<2xui64>, %t: tensor<3xui64>) -> (
    tensor<7x3xui32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>},
    tensor<10xui64> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>},
    tensor<2x9xui8> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>},
    tensor<3xui64>,
    tensor<9x3xui32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
    tensor<5x6xui64> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
  %s1, %a = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7x3xui32>)
  %t1, %b = stablehlo.rng_bit_generator %t, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<10xui64>)
  %t2, %c = stablehlo.rng_bit_generator %t1, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x9xui8>)
  %s2, %d = stablehlo.rng_bit_generator %s1, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<9x3xui32>)
  %s3, %e = stablehlo.rng_bit_generator %s2, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x6xui64>)
  return %a, %b, %c, %t2, %d, %e : tensor<7x3xui32>, tensor<10xui64>, tensor<2x9xui8>, tensor<3xui64>, tensor<9x3xui32>, tensor<5x6xui64>
}
