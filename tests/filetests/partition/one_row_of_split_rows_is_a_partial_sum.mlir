// test partition
// test equal devices=4
// The first token of a split sequence: one device has it, the others give zeros. Nobody is sent rows that nobody wants.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<2x64x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}) -> tensor<2x8xf32> {
    %0 = stablehlo.slice %a [0:2, 0:1, 0:8] : (tensor<2x64x8xf32>) -> tensor<2x1x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<2x1x8xf32>) -> tensor<2x8xf32>
    return %1 : tensor<2x8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<2x16x8xf32>) -> tensor<2x8xf32> {
//|     %2 = stablehlo.partition_id : tensor<ui32>
//|     %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i32>
//|     %4 = stablehlo.constant dense<0> : tensor<i32>
//|     %5 = stablehlo.slice %a [0:2, 0:1, 0:8] : (tensor<2x16x8xf32>) -> tensor<2x1x8xf32>
//|     %6 = stablehlo.compare EQ, %3, %4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|     %7 = stablehlo.constant dense<0.000000e+00> : tensor<2x1x8xf32>
//|     %8 = stablehlo.select %6, %5, %7 : tensor<i1>, tensor<2x1x8xf32>
//|     %9 = "stablehlo.all_reduce"(%8) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %10 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %10 : tensor<f32>
//|     }) : (tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
//|     %1 = stablehlo.reshape %9 : (tensor<2x1x8xf32>) -> tensor<2x8xf32>
//|     return %1 : tensor<2x8xf32>
//|   }
//| }
//| --- equal devices=4
