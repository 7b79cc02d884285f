// test partition
// test equal devices=4
// GSPMD 3.3: every stage hands its state to the next, one pad or one concatenation of what enters and all but the last.
module {
  sdy.mesh @m = <["stage"=4]>
  func.func public @main(%state: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"stage"}, {}]>}, %new: tensor<1x8xf32>) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"stage"}, {}]>}, tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"stage"}, {}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.pad %state, %zero, low = [1, 0], high = [-1, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %1 = stablehlo.slice %state [0:3, 0:8] : (tensor<4x8xf32>) -> tensor<3x8xf32>
    %2 = stablehlo.concatenate %new, %1, dim = 0 : (tensor<1x8xf32>, tensor<3x8xf32>) -> tensor<4x8xf32>
    return %0, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["stage"=4]>
//|   func.func public @main(%state: tensor<1x8xf32>, %new: tensor<1x8xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>) {
//|     %3 = stablehlo.partition_id : tensor<ui32>
//|     %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
//|     %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %6 = stablehlo.pad %new, %5, low = [0, 0], high = [3, 0], interior = [0, 0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<4x8xf32>
//|     %0 = "stablehlo.collective_permute"(%state) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<1x8xf32>) -> tensor<1x8xf32>
//|     %7 = stablehlo.constant dense<0> : tensor<i32>
//|     %8 = stablehlo.dynamic_slice %6, %4, %7, sizes = [1, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
//|     %9 = stablehlo.iota dim = 0 : tensor<1x8xi32>
//|     %10 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i32>) -> tensor<1x8xi32>
//|     %11 = stablehlo.add %9, %10 : tensor<1x8xi32>
//|     %12 = stablehlo.constant dense<1> : tensor<1x8xi32>
//|     %13 = stablehlo.compare GE, %11, %12 : (tensor<1x8xi32>, tensor<1x8xi32>) -> tensor<1x8xi1>
//|     %2 = stablehlo.select %13, %0, %8 : tensor<1x8xi1>, tensor<1x8xf32>
//|     return %0, %2 : tensor<1x8xf32>, tensor<1x8xf32>
//|   }
//| }
//| --- equal devices=4
