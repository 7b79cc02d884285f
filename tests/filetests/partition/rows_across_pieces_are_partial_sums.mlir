// test partition
// test equal devices=4
// Two rows from each of three computed places on; a pair may lie on two devices. Zeros at the edges of every piece, one
// all-reduce of what is found.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %i: tensor<3x1xi32>) -> tensor<3x2x8xf32> {
    %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 2, 8>}> : (tensor<64x8xf32>, tensor<3x1xi32>) -> tensor<3x2x8xf32>
    return %0 : tensor<3x2x8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<16x8xf32>, %i: tensor<3x1xi32>) -> tensor<3x2x8xf32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %4 = stablehlo.pad %a, %3, low = [2, 0], high = [2, 0], interior = [0, 0] : (tensor<16x8xf32>, tensor<f32>) -> tensor<20x8xf32>
//|     %5 = stablehlo.constant dense<62> : tensor<1xi32>
//|     %6 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<1xi32>) -> tensor<3x1xi32>
//|     %7 = stablehlo.constant dense<0> : tensor<3x1xi32>
//|     %8 = stablehlo.clamp %7, %i, %6 : tensor<3x1xi32>
//|     %9 = stablehlo.constant dense<16> : tensor<i32>
//|     %10 = stablehlo.multiply %2, %9 : tensor<i32>
//|     %11 = stablehlo.constant dense<2> : tensor<i32>
//|     %12 = stablehlo.subtract %10, %11 : tensor<i32>
//|     %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<i32>) -> tensor<3x1xi32>
//|     %14 = stablehlo.subtract %8, %13 : tensor<3x1xi32>
//|     %15 = stablehlo.constant dense<19> : tensor<1xi32>
//|     %16 = stablehlo.broadcast_in_dim %15, dims = [1] : (tensor<1xi32>) -> tensor<3x1xi32>
//|     %17 = stablehlo.compare GE, %14, %7 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x1xi1>
//|     %18 = stablehlo.compare LT, %14, %16 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x1xi1>
//|     %19 = stablehlo.and %17, %18 : tensor<3x1xi1>
//|     %20 = stablehlo.constant dense<true> : tensor<i1>
//|     %21 = stablehlo.reduce(%19 init: %20) applies stablehlo.and across dimensions = [1] : (tensor<3x1xi1>, tensor<i1>) -> tensor<3xi1>
//|     %22 = "stablehlo.gather"(%4, %14) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 2, 8>}> : (tensor<20x8xf32>, tensor<3x1xi32>) -> tensor<3x2x8xf32>
//|     %23 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<3xi1>) -> tensor<3x2x8xi1>
//|     %24 = stablehlo.constant dense<0.000000e+00> : tensor<3x2x8xf32>
//|     %0 = stablehlo.select %23, %22, %24 : tensor<3x2x8xi1>, tensor<3x2x8xf32>
//|     %25 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %26 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %26 : tensor<f32>
//|     }) : (tensor<3x2x8xf32>) -> tensor<3x2x8xf32>
//|     return %25 : tensor<3x2x8xf32>
//|   }
//| }
//| --- equal devices=4
