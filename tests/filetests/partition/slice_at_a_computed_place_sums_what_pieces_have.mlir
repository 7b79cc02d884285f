// test partition
// test equal devices=4
// Two rows from a computed place on may lie on two devices: each gives what it has, and zeros.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %i: tensor<i32>) -> tensor<2x8xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %a, %i, %zero, sizes = [2, 8] : (tensor<64x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
    return %0 : tensor<2x8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<16x8xf32>, %i: tensor<i32>) -> tensor<2x8xf32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %zero = stablehlo.constant dense<0> : tensor<i32>
//|     %3 = stablehlo.constant dense<62> : tensor<i32>
//|     %4 = stablehlo.clamp %zero, %i, %3 : tensor<i32>
//|     %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %6 = stablehlo.pad %a, %5, low = [2, 0], high = [2, 0], interior = [0, 0] : (tensor<16x8xf32>, tensor<f32>) -> tensor<20x8xf32>
//|     %7 = stablehlo.constant dense<16> : tensor<i32>
//|     %8 = stablehlo.multiply %2, %7 : tensor<i32>
//|     %9 = stablehlo.constant dense<2> : tensor<i32>
//|     %10 = stablehlo.subtract %4, %8 : tensor<i32>
//|     %11 = stablehlo.add %10, %9 : tensor<i32>
//|     %0 = stablehlo.dynamic_slice %6, %11, %zero, sizes = [2, 8] : (tensor<20x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
//|     %12 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %13 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %13 : tensor<f32>
//|     }) : (tensor<2x8xf32>) -> tensor<2x8xf32>
//|     return %12 : tensor<2x8xf32>
//|   }
//| }
//| --- equal devices=4
