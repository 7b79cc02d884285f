// test collectives
// test partition
// test equal seeds=3
// What is added to a whole value is the sum of three products, each partial over `y`: the whole value counts on one
// device, and one all-reduce makes the sum.
sdy.mesh @m = <["x"=2, "y"=4]>
func.func public @main(
    %r: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
    %a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>},
    %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>},
    %c: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>},
    %w: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}
) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = stablehlo.add %r, %0 : tensor<8x6xf32>
  %2 = stablehlo.dot_general %b, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %3 = stablehlo.add %1, %2 : tensor<8x6xf32>
  %4 = stablehlo.dot_general %c, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %5 = stablehlo.add %3, %4 : tensor<8x6xf32>
  return %5 : tensor<8x6xf32>
}
//| --- collectives
//| 1 all-reduce over {"y"}: 144 bytes
//| 144 flops in contractions
//| --- partition
//| module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=2, "y"=4]>
//|   func.func public @main(%r: tensor<4x6xf32>, %a: tensor<4x1xf32>, %b: tensor<4x1xf32>, %c: tensor<4x1xf32>, %w: tensor<1x6xf32>) -> tensor<4x6xf32> {
//|     %6 = stablehlo.partition_id : tensor<ui32>
//|     %7 = stablehlo.convert %6 : (tensor<ui32>) -> tensor<i32>
//|     %8 = stablehlo.constant dense<4> : tensor<i32>
//|     %9 = stablehlo.remainder %7, %8 : tensor<i32>
//|     %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x1xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
//|     %10 = stablehlo.constant dense<0> : tensor<i32>
//|     %11 = stablehlo.compare EQ, %9, %10 : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|     %12 = stablehlo.constant dense<0.000000e+00> : tensor<4x6xf32>
//|     %13 = stablehlo.select %11, %r, %12 : tensor<i1>, tensor<4x6xf32>
//|     %1 = stablehlo.add %13, %0 : tensor<4x6xf32>
//|     %2 = stablehlo.dot_general %b, %w, contracting_dims = [1] x [0] : (tensor<4x1xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
//|     %3 = stablehlo.add %1, %2 : tensor<4x6xf32>
//|     %4 = stablehlo.dot_general %c, %w, contracting_dims = [1] x [0] : (tensor<4x1xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
//|     %5 = stablehlo.add %3, %4 : tensor<4x6xf32>
//|     %14 = "stablehlo.all_reduce"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %15 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %15 : tensor<f32>
//|     }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
//|     return %14 : tensor<4x6xf32>
//|   }
//| }
//| --- equal seeds=3
