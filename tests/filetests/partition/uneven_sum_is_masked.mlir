// test partition
// test equal seeds=3
// 15 elements over 2 devices: shards of 8, and the sixteenth element is nobody's. It may be a NaN, so it is selected away.
module {
  sdy.mesh @m = <["x"=2]>
  func.func public @main(%a: tensor<15xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<15xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=2]>
//|   func.func public @main(%a: tensor<8xf32>) -> tensor<f32> {
//|     %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %1 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<8xf32>) -> tensor<16xf32>
//|     %2 = stablehlo.iota dim = 0 : tensor<16xi32>
//|     %3 = stablehlo.constant dense<15> : tensor<16xi32>
//|     %4 = stablehlo.compare LT, %2, %3 : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
//|     %5 = stablehlo.constant dense<0.000000e+00> : tensor<16xf32>
//|     %6 = stablehlo.select %4, %1, %5 : tensor<16xi1>, tensor<16xf32>
//|     %0 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
//|     return %0 : tensor<f32>
//|   }
//| }
//| --- equal seeds=3
