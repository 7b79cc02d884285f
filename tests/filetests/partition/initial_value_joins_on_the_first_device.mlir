// test partition
// test equal seeds=3
// A sum over a split dim that starts from something else than zero: only one device may add it.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %init: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.reduce(%a init: %init) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<4xf32>, %init: tensor<f32>) -> tensor<f32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %3 = stablehlo.constant dense<0> : tensor<i32>
//|     %4 = stablehlo.compare EQ, %2, %3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|     %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %6 = stablehlo.select %4, %init, %5 : tensor<i1>, tensor<f32>
//|     %0 = stablehlo.reduce(%a init: %6) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
//|     %7 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %8 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %8 : tensor<f32>
//|     }) : (tensor<f32>) -> tensor<f32>
//|     return %7 : tensor<f32>
//|   }
//| }
//| --- equal seeds=3
