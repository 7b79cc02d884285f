// test partition
// test equal
// Lowered for one partition, annotated over a mesh of four.
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<6x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<16x5xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<6x5xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
    %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<6x16xf32>, tensor<16x5xf32>) -> tensor<6x5xf32>
    return %c : tensor<6x5xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<6x4xf32>, %b: tensor<4x5xf32>) -> tensor<6x5xf32> {
//|     %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<6x4xf32>, tensor<4x5xf32>) -> tensor<6x5xf32>
//|     %0 = "stablehlo.all_reduce"(%c) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %1 : tensor<f32>
//|     }) : (tensor<6x5xf32>) -> tensor<6x5xf32>
//|     return %0 : tensor<6x5xf32>
//|   }
//| }
//| --- equal
