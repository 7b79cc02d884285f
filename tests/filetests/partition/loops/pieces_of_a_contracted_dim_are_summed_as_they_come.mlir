// test partition loops=one-way
// test equal loops=one-way seeds=3
// test equal loops=unrolled seeds=3
// test equal loops=both-ways seeds=3
// test equal loops=both-ways,unrolled seeds=3
// A weight split along the contracted dim, in pieces: each meets the columns of A that it belongs to.
module {
  sdy.mesh @m = <["x"=8]>
  func.func public @main(%a: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<64x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x16xf32>, tensor<16x3xf32>) -> tensor<64x3xf32>
    return %c : tensor<64x3xf32>
  }
}
//| --- partition loops=one-way
//| module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=8]>
//|   func.func public @main(%a: tensor<8x16xf32>, %b: tensor<2x3xf32>) -> tensor<8x3xf32> {
//|     %0 = stablehlo.partition_id : tensor<ui32>
//|     %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
//|     %2 = "stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>, use_global_device_ids}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
//|     %3 = stablehlo.constant dense<7> : tensor<i32>
//|     %4 = stablehlo.constant dense<8> : tensor<i32>
//|     %5 = stablehlo.add %1, %3 : tensor<i32>
//|     %6 = stablehlo.remainder %5, %4 : tensor<i32>
//|     %7 = stablehlo.constant dense<2> : tensor<i32>
//|     %8 = stablehlo.multiply %1, %7 : tensor<i32>
//|     %9 = stablehlo.constant dense<0> : tensor<i32>
//|     %10 = stablehlo.dynamic_slice %a, %9, %8, sizes = [8, 2] : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>
//|     %11 = stablehlo.dot_general %10, %b, contracting_dims = [1] x [0] : (tensor<8x2xf32>, tensor<2x3xf32>) -> tensor<8x3xf32>
//|     %12 = stablehlo.constant dense<0> : tensor<i32>
//|     %13:4 = stablehlo.while(%iterArg = %12, %iterArg_0 = %2, %iterArg_1 = %6, %iterArg_2 = %11) : tensor<i32>, tensor<2x3xf32>, tensor<i32>, tensor<8x3xf32>
//|     cond {
//|       %17 = stablehlo.constant dense<6> : tensor<i32>
//|       %18 = stablehlo.compare LT, %iterArg, %17, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|       stablehlo.return %18 : tensor<i1>
//|     } do {
//|       %17 = "stablehlo.collective_permute"(%iterArg_0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>, use_global_device_ids}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
//|       %18 = stablehlo.add %iterArg_1, %3 : tensor<i32>
//|       %19 = stablehlo.remainder %18, %4 : tensor<i32>
//|       %20 = stablehlo.multiply %iterArg_1, %7 : tensor<i32>
//|       %21 = stablehlo.dynamic_slice %a, %9, %20, sizes = [8, 2] : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>
//|       %22 = stablehlo.dot_general %21, %iterArg_0, contracting_dims = [1] x [0] : (tensor<8x2xf32>, tensor<2x3xf32>) -> tensor<8x3xf32>
//|       %23 = stablehlo.add %iterArg_2, %22 : tensor<8x3xf32>
//|       %24 = stablehlo.constant dense<1> : tensor<i32>
//|       %25 = stablehlo.add %iterArg, %24 : tensor<i32>
//|       stablehlo.return %25, %17, %19, %23 : tensor<i32>, tensor<2x3xf32>, tensor<i32>, tensor<8x3xf32>
//|     }
//|     %14 = stablehlo.multiply %13#2, %7 : tensor<i32>
//|     %15 = stablehlo.dynamic_slice %a, %9, %14, sizes = [8, 2] : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>
//|     %16 = stablehlo.dot_general %15, %13#1, contracting_dims = [1] x [0] : (tensor<8x2xf32>, tensor<2x3xf32>) -> tensor<8x3xf32>
//|     %c = stablehlo.add %13#3, %16 : tensor<8x3xf32>
//|     return %c : tensor<8x3xf32>
//|   }
//| }
//| --- equal loops=one-way seeds=3
//| --- equal loops=unrolled seeds=3
//| --- equal loops=both-ways seeds=3
//| --- equal loops=both-ways,unrolled seeds=3
