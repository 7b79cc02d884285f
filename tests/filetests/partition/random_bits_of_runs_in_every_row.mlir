// test collectives
// test equal devices=4 seeds=2
// Columns are split behind rows: what a device holds is a run in every row. It makes its own runs only, in a loop over rows,
// whether runs begin inside a block of the cipher or not, and whether rows or columns are what comes in pairs.
module {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(%s: tensor<2xui64>) -> (tensor<3x4098xui32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x", "y"}]>}, tensor<2x3x2200xui32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}]>}, tensor<3x2051xui32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}, tensor<3x2050xui64> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, tensor<4x2048xui8> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
    %0, %a = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4098xui32>)
    %1, %b = stablehlo.rng_bit_generator %0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3x2200xui32>)
    %2, %c = stablehlo.rng_bit_generator %1, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2051xui32>)
    %3, %d = stablehlo.rng_bit_generator %2, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2050xui64>)
    %4, %e = stablehlo.rng_bit_generator %3, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x2048xui8>)
    return %a, %b, %c, %d, %e : tensor<3x4098xui32>, tensor<2x3x2200xui32>, tensor<3x2051xui32>, tensor<3x2050xui64>, tensor<4x2048xui8>
  }
}
//| --- collectives
//| 0 flops in contractions
//| --- equal devices=4 seeds=2
