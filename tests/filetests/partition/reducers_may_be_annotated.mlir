// test partition
// test equal seeds=2
// JAX annotates the scalars of a reducer too; it is a plain sum for all that, and nothing of it is left behind.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<6xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %zero) across dimensions = [0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>
     reducer(%x: tensor<f32>, %y: tensor<f32>)  {
      %1 = stablehlo.add %x, %y : tensor<f32>
      %2 = sdy.sharding_constraint %1 <@m, []> : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }
    return %0 : tensor<6xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<2x6xf32>) -> tensor<6xf32> {
//|     %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2x6xf32>, tensor<f32>) -> tensor<6xf32>
//|     %3 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %4 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %4 : tensor<f32>
//|     }) : (tensor<6xf32>) -> tensor<6xf32>
//|     return %3 : tensor<6xf32>
//|   }
//| }
//| --- equal seeds=2
