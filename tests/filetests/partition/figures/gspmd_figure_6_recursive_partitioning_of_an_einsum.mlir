// test partition
// test equal seeds=3
// GSPMD, Figure 6: AC = einsum(AB, BC) on a mesh of 2 by 2. A is split over x and C over y on both sides; B of the weight
// over x fits neither, so it is gathered in groups along x, and the product is local.
module {
  sdy.mesh @m = <["y"=2, "x"=2]>
  func.func public @main(%ab: tensor<256x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %bc: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<256x12xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
    %ac = stablehlo.dot_general %ab, %bc, contracting_dims = [1] x [0] : (tensor<256x8xf32>, tensor<8x12xf32>) -> tensor<256x12xf32>
    return %ac : tensor<256x12xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["y"=2, "x"=2]>
//|   func.func public @main(%ab: tensor<128x8xf32>, %bc: tensor<4x6xf32>) -> tensor<128x6xf32> {
//|     %0 = "stablehlo.all_gather"(%bc) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<4x6xf32>) -> tensor<8x6xf32>
//|     %ac = stablehlo.dot_general %ab, %0, contracting_dims = [1] x [0] : (tensor<128x8xf32>, tensor<8x6xf32>) -> tensor<128x6xf32>
//|     return %ac : tensor<128x6xf32>
//|   }
//| }
//| --- equal seeds=3
