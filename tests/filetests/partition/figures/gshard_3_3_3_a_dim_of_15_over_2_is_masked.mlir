// test partition
// test equal seeds=1
// GShard 3.3.3: 15 elements over 2 devices, shards of 8, and the sixteenth element is nobody's. It may be a NaN, so it is selected away.
module {
  sdy.mesh @m = <["x"=2]>
  func.func public @main(%a: tensor<15x65536xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<65536xf32> {
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<15x65536xf32>, tensor<f32>) -> tensor<65536xf32>
    return %0 : tensor<65536xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=2]>
//|   func.func public @main(%a: tensor<8x65536xf32>) -> tensor<65536xf32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %3 = stablehlo.iota dim = 0 : tensor<8x65536xi32>
//|     %4 = stablehlo.constant dense<8> : tensor<i32>
//|     %5 = stablehlo.multiply %2, %4 : tensor<i32>
//|     %6 = stablehlo.constant dense<15> : tensor<8x65536xi32>
//|     %7 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<i32>) -> tensor<8x65536xi32>
//|     %8 = stablehlo.add %3, %7 : tensor<8x65536xi32>
//|     %9 = stablehlo.compare LT, %8, %6 : (tensor<8x65536xi32>, tensor<8x65536xi32>) -> tensor<8x65536xi1>
//|     %10 = stablehlo.constant dense<0.000000e+00> : tensor<8x65536xf32>
//|     %11 = stablehlo.select %9, %a, %10 : tensor<8x65536xi1>, tensor<8x65536xf32>
//|     %0 = stablehlo.reduce(%11 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x65536xf32>, tensor<f32>) -> tensor<65536xf32>
//|     %12 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %13 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %13 : tensor<f32>
//|     }) : (tensor<65536xf32>) -> tensor<65536xf32>
//|     return %12 : tensor<65536xf32>
//|   }
//| }
//| --- equal seeds=1
