// test equal seeds=3
// Between FullToShard and ShardToFull values are local over x; y stays the partitioner's, and %w comes in from outside.
module {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<6x8xf32>, %w: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) -> tensor<6x4xf32> {
    %0 = sdy.sharding_constraint %a <@m, [{"x"}, {}]> : tensor<6x8xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<6x8xf32>) -> tensor<3x8xf32>
    %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
    %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<3x4xf32>) -> tensor<6x4xf32>
    return %4 : tensor<6x4xf32>
  }
}
