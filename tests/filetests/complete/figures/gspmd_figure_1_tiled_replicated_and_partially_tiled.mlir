// test complete
// GSPMD figure 1: the three kinds of sharding are one form, axes per dim; what no dim names replicates.
module @m attributes {mhlo.num_partitions = 4 : i32} {
  func.func public @main(
      %replicated: tensor<4x8xf32> {mhlo.sharding = "{replicated}"},
      %tiled: tensor<4x8xf32> {mhlo.sharding = "{devices=[2,2]0,2,1,3}"},
      %partially_tiled: tensor<4x8xf32> {mhlo.sharding = "{devices=[1,2,2]0,1,2,3 last_tile_dim_replicate}"}
  ) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
    return %replicated, %tiled, %partially_tiled : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  }
}
//| module @m attributes {mhlo.num_partitions = 4 : i32} {
//|   sdy.mesh @mesh = <["axis_0"=2, "axis_1"=2]>
//|   func.func public @main(%replicated: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %tiled: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_1"}, {"axis_0"}]>}, %partially_tiled: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"axis_0"}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_1"}, {"axis_0"}]>}, tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"axis_0"}]>}) {
//|     return %replicated, %tiled, %partially_tiled : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
//|   }
//| }
