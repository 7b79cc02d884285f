// test partition
// test equal devices=4
// Rows that are sorted have to be whole: the axes move to the other dim and back by all-to-all. Nobody has everything.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) {
    %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<8x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
//|     %2 = "stablehlo.all_to_all"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, split_count = 4 : i64, split_dimension = 0 : i64, use_global_device_ids}> : (tensor<8x16xf32>) -> tensor<2x64xf32>
//|     %0 = "stablehlo.sort"(%2) <{dimension = 1 : i64, is_stable = true}> ({
//|     ^bb0(%x: tensor<f32>, %y: tensor<f32>):
//|       %1 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
//|       stablehlo.return %1 : tensor<i1>
//|     }) : (tensor<2x64xf32>) -> tensor<2x64xf32>
//|     %3 = "stablehlo.all_to_all"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, concat_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, split_count = 4 : i64, split_dimension = 1 : i64, use_global_device_ids}> : (tensor<2x64xf32>) -> tensor<8x16xf32>
//|     return %3 : tensor<8x16xf32>
//|   }
//| }
//| --- equal devices=4
