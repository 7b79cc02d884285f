// test partition
// test equal seeds=3
// GShard, Figure 2b: a dot of whole operands, split along K over four devices. Every device cuts out its quarter of both,
// multiplies, and one all-reduce adds up; the program is the same for all.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}, %b: tensor<64x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
    %0 = sdy.sharding_constraint %a <@m, [{}, {"x"}]> : tensor<8x64xf32>
    %1 = sdy.sharding_constraint %b <@m, [{"x"}, {}]> : tensor<64x4xf32>
    %c = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x4xf32>) -> tensor<8x4xf32>
    return %c : tensor<8x4xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<8x64xf32>, %b: tensor<64x4xf32>) -> tensor<8x4xf32> {
//|     %2 = stablehlo.partition_id : tensor<ui32>
//|     %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i32>
//|     %4 = stablehlo.constant dense<0> : tensor<i32>
//|     %5 = stablehlo.constant dense<16> : tensor<i32>
//|     %6 = stablehlo.multiply %3, %5 : tensor<i32>
//|     %7 = stablehlo.dynamic_slice %a, %4, %6, sizes = [8, 16] : (tensor<8x64xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
//|     %8 = stablehlo.dynamic_slice %b, %6, %4, sizes = [16, 4] : (tensor<64x4xf32>, tensor<i32>, tensor<i32>) -> tensor<16x4xf32>
//|     %c = stablehlo.dot_general %7, %8, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
//|     %9 = "stablehlo.all_reduce"(%c) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %10 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %10 : tensor<f32>
//|     }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
//|     return %9 : tensor<8x4xf32>
//|   }
//| }
//| --- equal seeds=3
