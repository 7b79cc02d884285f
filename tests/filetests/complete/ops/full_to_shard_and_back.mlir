// test complete
// The old way into and out of a manual part: the manual axis is off between the two, the other one passes.
module @m attributes {mhlo.num_partitions = 8 : i32} {
  func.func public @main(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[4,2]<=[8]}"}) -> tensor<8x8xf32> {
    %in = stablehlo.custom_call @Sharding(%a) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %local = stablehlo.custom_call @SPMDFullToShardShape(%in) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<8x8xf32>) -> tensor<2x8xf32>
    %t = stablehlo.tanh %local : tensor<2x8xf32>
    %out = stablehlo.custom_call @Sharding(%t) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %full = stablehlo.custom_call @SPMDShardToFullShape(%out) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"} : (tensor<2x8xf32>) -> tensor<8x8xf32>
    return %full : tensor<8x8xf32>
  }
}
//| module @m attributes {mhlo.num_partitions = 8 : i32} {
//|   sdy.mesh @mesh = <["axis_0"=4, "axis_1"=2]>
//|   func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_0"}, {"axis_1"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_0"}, {"axis_1"}]>}) {
//|     %in = sdy.sharding_constraint %a <@mesh, [{"axis_0"}, {"axis_1"}]> : tensor<8x8xf32>
//|     %local = stablehlo.custom_call @SPMDFullToShardShape(%in) {backend_config = "", mhlo.sharding = "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dims={manual}}"} : (tensor<8x8xf32>) -> tensor<2x8xf32>
//|     %t = stablehlo.tanh %local {mhlo.sharding = "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dims={manual}}"} : tensor<2x8xf32>
//|     %out = stablehlo.custom_call @Sharding(%t) {backend_config = "", mhlo.sharding = "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dims={manual}}"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
//|     %full = stablehlo.custom_call @SPMDShardToFullShape(%out) {backend_config = "", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"axis_0"}, {"axis_1"}]>]>} : (tensor<2x8xf32>) -> tensor<8x8xf32>
//|     return %full : tensor<8x8xf32>
//|   }
//| }
