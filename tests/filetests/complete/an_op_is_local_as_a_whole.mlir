// test complete values
// test equal
// The first of `%n`'s results is local, so the second is, and what is made from it, though nothing local uses that.
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32>) {
    %l = stablehlo.custom_call @SPMDFullToShardShape(%x) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<4xf32>) -> tensor<2xf32>
    %k = stablehlo.constant dense<7> : tensor<2xui64>
    %n:2 = stablehlo.rng_bit_generator %k, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui8>)
    %s = stablehlo.custom_call @Sharding(%n#0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<2xui64>) -> tensor<2xui64>
    %t = stablehlo.add %n#1, %n#1 : tensor<2xui8>
    %c = stablehlo.convert %s : (tensor<2xui64>) -> tensor<2xf32>
    %a = stablehlo.add %l, %c : tensor<2xf32>
    %g = stablehlo.custom_call @SPMDShardToFullShape(%a) {backend_config = "", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<2xf32>) -> tensor<4xf32>
    return %g : tensor<4xf32>
  }
}
//| --- complete values
//| %x [{"x"}]
//| %l [{}]
//| %k [{}]
//| %n#0 [{}]
//| %n#1 [{}]
//| %s [{}]
//| %t [{}]
//| %c [{}]
//| %a [{}]
//| %g [{"x"}]
//| --- equal
