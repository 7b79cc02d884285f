// test partition
// What is sliced off the sum is told from the arithmetic, not tried out: the number of devices does not matter.
module {
  sdy.mesh @m = <["x"=1024, "y"=1024]>
  func.func public @main(%a: tensor<4096x2048xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %g: tensor<4096x8192xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<2048x8192xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
    %w = stablehlo.dot_general %a, %g, contracting_dims = [0] x [0] : (tensor<4096x2048xf32>, tensor<4096x8192xf32>) -> tensor<2048x8192xf32>
    return %w : tensor<2048x8192xf32>
  }
}
//| module attributes {mhlo.num_partitions = 1048576 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=1024, "y"=1024]>
//|   func.func public @main(%a: tensor<4x2048xf32>, %g: tensor<4x8xf32>) -> tensor<2x8xf32> {
//|     %w = stablehlo.dot_general %a, %g, contracting_dims = [0] x [0] : (tensor<4x2048xf32>, tensor<4x8xf32>) -> tensor<2048x8xf32>
//|     %0 = "stablehlo.reduce_scatter"(%w) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %1 : tensor<f32>
//|     }) : (tensor<2048x8xf32>) -> tensor<2x8xf32>
//|     return %0 : tensor<2x8xf32>
//|   }
//| }
