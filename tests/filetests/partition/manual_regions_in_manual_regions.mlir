// test partition
// test equal devices=8 seeds=2
// A region in a region is local over the axes of both; what it does not name stays whole in it.
sdy.mesh @mesh = <["data"=2, "model"=4]>
func.func public @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.manual_computation(%x, %w) in_shardings=[<@mesh, [{"data", ?}, {?}]>, <@mesh, [{?}, {?}]>] out_shardings=[<@mesh, [{"data", ?}, {?}]>] manual_axes={"data"} (%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) {
    %1 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{"model", ?}, {?}]>, <@mesh, [{?}, {?}]>] out_shardings=[<@mesh, [{"model", ?}, {?}]>] manual_axes={"model"} (%c: tensor<2x8xf32>, %d: tensor<8x8xf32>) {
      %2 = stablehlo.slice %d [0:2, 0:8] : (tensor<8x8xf32>) -> tensor<2x8xf32>
      %3 = stablehlo.add %c, %2 : tensor<2x8xf32>
      %4 = "stablehlo.all_reduce"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %s = stablehlo.add %l, %r : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<2x8xf32>) -> tensor<2x8xf32>
      sdy.return %4 : tensor<2x8xf32>
    } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    sdy.return %1 : tensor<8x8xf32>
  } : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
//| --- partition
//| module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @mesh = <["data"=2, "model"=4]>
//|   func.func public @main(%x: tensor<8x8xf32>, %w: tensor<2x8xf32>) -> tensor<2x8xf32> {
//|     %5 = stablehlo.partition_id : tensor<ui32>
//|     %6 = stablehlo.convert %5 : (tensor<ui32>) -> tensor<i32>
//|     %7 = stablehlo.constant dense<4> : tensor<i32>
//|     %8 = stablehlo.remainder %6, %7 : tensor<i32>
//|     %9 = stablehlo.constant dense<2> : tensor<i32>
//|     %10 = stablehlo.multiply %8, %9 : tensor<i32>
//|     %11 = stablehlo.constant dense<0> : tensor<i32>
//|     %12 = stablehlo.dynamic_slice %x, %10, %11, sizes = [2, 8] : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
//|     %13 = "stablehlo.all_gather"(%w) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "model">]>, use_global_device_ids}> : (tensor<2x8xf32>) -> tensor<8x8xf32>
//|     %2 = stablehlo.slice %13 [0:2, 0:8] : (tensor<8x8xf32>) -> tensor<2x8xf32>
//|     %3 = stablehlo.add %12, %2 : tensor<2x8xf32>
//|     %4 = "stablehlo.all_reduce"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
//|     ^bb0(%l: tensor<f32>, %r: tensor<f32>):
//|       %s = stablehlo.add %l, %r : tensor<f32>
//|       stablehlo.return %s : tensor<f32>
//|     }) : (tensor<2x8xf32>) -> tensor<2x8xf32>
//|     return %4 : tensor<2x8xf32>
//|   }
//| }
//| --- equal devices=8 seeds=2
