// test complete values
// XLA's groups: what is annotated `shard_as` 1 is split alike, here as the one member that says how.
module @m attributes {mhlo.num_partitions = 4 : i32} {
  func.func public @main(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %c = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{unknown shard_as 1}"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %d = stablehlo.custom_call @Sharding(%b) {mhlo.sharding = "{devices=[2,2]<=[4] shard_as 1}"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %c, %d : tensor<4x8xf32>, tensor<4x8xf32>
  }
}
//| %a [{"axis_0"}, {"axis_1"}]
//| %b [{"axis_0"}, {"axis_1"}]
//| %c [{"axis_0"}, {"axis_1"}]
//| %d [{"axis_0"}, {"axis_1"}]
