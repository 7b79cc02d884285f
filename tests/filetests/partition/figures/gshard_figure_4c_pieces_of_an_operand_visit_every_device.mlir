// test partition loops=one-way
// test equal loops=one-way seeds=3
// GShard, Figure 4c: both operands are split along dims that the other does not have. Each device has its rows of the result
// and fills a block of columns per step, while the piece of B it used goes on to its neighbour. B is whole nowhere.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<6x12xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x12xf32>) -> tensor<8x12xf32>
    return %c : tensor<8x12xf32>
  }
}
//| --- partition loops=one-way
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<2x6xf32>, %b: tensor<6x3xf32>) -> tensor<2x12xf32> {
//|     %0 = stablehlo.partition_id : tensor<ui32>
//|     %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
//|     %2 = "stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<6x3xf32>) -> tensor<6x3xf32>
//|     %3 = stablehlo.constant dense<3> : tensor<i32>
//|     %4 = stablehlo.constant dense<4> : tensor<i32>
//|     %5 = stablehlo.add %1, %3 : tensor<i32>
//|     %6 = stablehlo.remainder %5, %4 : tensor<i32>
//|     %7 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x6xf32>, tensor<6x3xf32>) -> tensor<2x3xf32>
//|     %8 = stablehlo.constant dense<0.000000e+00> : tensor<2x12xf32>
//|     %9 = stablehlo.multiply %1, %3 : tensor<i32>
//|     %10 = stablehlo.constant dense<0> : tensor<i32>
//|     %11 = stablehlo.dynamic_update_slice %8, %7, %10, %9 : (tensor<2x12xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x12xf32>
//|     %12 = stablehlo.constant dense<0> : tensor<i32>
//|     %13:4 = stablehlo.while(%iterArg = %12, %iterArg_0 = %2, %iterArg_1 = %6, %iterArg_2 = %11) : tensor<i32>, tensor<6x3xf32>, tensor<i32>, tensor<2x12xf32>
//|     cond {
//|       %16 = stablehlo.constant dense<2> : tensor<i32>
//|       %17 = stablehlo.compare LT, %iterArg, %16, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|       stablehlo.return %17 : tensor<i1>
//|     } do {
//|       %16 = "stablehlo.collective_permute"(%iterArg_0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<6x3xf32>) -> tensor<6x3xf32>
//|       %17 = stablehlo.add %iterArg_1, %3 : tensor<i32>
//|       %18 = stablehlo.remainder %17, %4 : tensor<i32>
//|       %19 = stablehlo.dot_general %a, %iterArg_0, contracting_dims = [1] x [0] : (tensor<2x6xf32>, tensor<6x3xf32>) -> tensor<2x3xf32>
//|       %20 = stablehlo.multiply %iterArg_1, %3 : tensor<i32>
//|       %21 = stablehlo.dynamic_update_slice %iterArg_2, %19, %10, %20 : (tensor<2x12xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x12xf32>
//|       %22 = stablehlo.constant dense<1> : tensor<i32>
//|       %23 = stablehlo.add %iterArg, %22 : tensor<i32>
//|       stablehlo.return %23, %16, %18, %21 : tensor<i32>, tensor<6x3xf32>, tensor<i32>, tensor<2x12xf32>
//|     }
//|     %14 = stablehlo.dot_general %a, %13#1, contracting_dims = [1] x [0] : (tensor<2x6xf32>, tensor<6x3xf32>) -> tensor<2x3xf32>
//|     %15 = stablehlo.multiply %13#2, %3 : tensor<i32>
//|     %c = stablehlo.dynamic_update_slice %13#3, %14, %10, %15 : (tensor<2x12xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x12xf32>
//|     return %c : tensor<2x12xf32>
//|   }
//| }
//| --- equal loops=one-way seeds=3
