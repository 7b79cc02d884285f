// test partition
// test equal devices=4
// Every third element of 20, from the second on: each device fetches the span it cuts from.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<20x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<7x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = stablehlo.slice %a [1:20:3, 0:8] : (tensor<20x8xf32>) -> tensor<7x8xf32>
    return %0 : tensor<7x8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<5x8xf32>) -> tensor<2x8xf32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %3 = stablehlo.slice %a [1:5, 0:8] : (tensor<5x8xf32>) -> tensor<4x8xf32>
//|     %4 = stablehlo.slice %a [0:2, 0:8] : (tensor<5x8xf32>) -> tensor<2x8xf32>
//|     %5 = "stablehlo.collective_permute"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[2, 1], [3, 2]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
//|     %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<1x8xf32>
//|     %8 = stablehlo.concatenate %3, %5, %7, dim = 0 : (tensor<4x8xf32>, tensor<2x8xf32>, tensor<1x8xf32>) -> tensor<7x8xf32>
//|     %9 = stablehlo.constant dense<0> : tensor<i32>
//|     %10 = stablehlo.dynamic_slice %8, %2, %9, sizes = [4, 8] : (tensor<7x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
//|     %0 = stablehlo.slice %10 [0:4:3, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
//|     return %0 : tensor<2x8xf32>
//|   }
//| }
//| --- equal devices=4
