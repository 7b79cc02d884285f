// test partition
// test equal seeds=3
// The batch is summed away over `x`, and the result is wanted split over `x`: one reduce-scatter, no all-reduce.
module {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %g: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
    %w = stablehlo.dot_general %a, %g, contracting_dims = [0] x [0] : (tensor<64x32xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
    return %w : tensor<32x16xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=2, "y"=2]>
//|   func.func public @main(%a: tensor<32x32xf32>, %g: tensor<32x8xf32>) -> tensor<16x8xf32> {
//|     %w = stablehlo.dot_general %a, %g, contracting_dims = [0] x [0] : (tensor<32x32xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
//|     %0 = "stablehlo.reduce_scatter"(%w) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %1 : tensor<f32>
//|     }) : (tensor<32x8xf32>) -> tensor<16x8xf32>
//|     return %0 : tensor<16x8xf32>
//|   }
//| }
//| --- equal seeds=3
