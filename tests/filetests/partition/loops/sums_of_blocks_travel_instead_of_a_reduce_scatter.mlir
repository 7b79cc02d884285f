// test partition loops=one-way
// test equal loops=one-way seeds=3
// test equal loops=unrolled seeds=3
// test equal loops=both-ways seeds=3
// test equal loops=both-ways,unrolled seeds=3
// Both operands are split along the contracted dim, the result along another: a sum visits all devices and stays where it
// belongs. The whole sum of one device is never made.
module {
  sdy.mesh @m = <["x"=8]>
  func.func public @main(%a: tensor<8x512xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<512x24xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x24xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) {
    %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x512xf32>, tensor<512x24xf32>) -> tensor<8x24xf32>
    return %c : tensor<8x24xf32>
  }
}
//| --- partition loops=one-way
//| module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=8]>
//|   func.func public @main(%a: tensor<8x64xf32>, %b: tensor<64x24xf32>) -> tensor<8x3xf32> {
//|     %0 = stablehlo.partition_id : tensor<ui32>
//|     %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
//|     %2 = stablehlo.constant dense<7> : tensor<i32>
//|     %3 = stablehlo.constant dense<8> : tensor<i32>
//|     %4 = stablehlo.add %1, %2 : tensor<i32>
//|     %5 = stablehlo.remainder %4, %3 : tensor<i32>
//|     %6 = stablehlo.constant dense<3> : tensor<i32>
//|     %7 = stablehlo.multiply %5, %6 : tensor<i32>
//|     %8 = stablehlo.constant dense<0> : tensor<i32>
//|     %9 = stablehlo.dynamic_slice %b, %8, %7, sizes = [64, 3] : (tensor<64x24xf32>, tensor<i32>, tensor<i32>) -> tensor<64x3xf32>
//|     %10 = stablehlo.dot_general %a, %9, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x3xf32>) -> tensor<8x3xf32>
//|     %11 = stablehlo.constant dense<0> : tensor<i32>
//|     %12:3 = stablehlo.while(%iterArg = %11, %iterArg_0 = %10, %iterArg_1 = %5) : tensor<i32>, tensor<8x3xf32>, tensor<i32>
//|     cond {
//|       %13 = stablehlo.constant dense<7> : tensor<i32>
//|       %14 = stablehlo.compare LT, %iterArg, %13, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|       stablehlo.return %14 : tensor<i1>
//|     } do {
//|       %13 = "stablehlo.collective_permute"(%iterArg_0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>, use_global_device_ids}> : (tensor<8x3xf32>) -> tensor<8x3xf32>
//|       %14 = stablehlo.add %iterArg_1, %2 : tensor<i32>
//|       %15 = stablehlo.remainder %14, %3 : tensor<i32>
//|       %16 = stablehlo.multiply %15, %6 : tensor<i32>
//|       %17 = stablehlo.dynamic_slice %b, %8, %16, sizes = [64, 3] : (tensor<64x24xf32>, tensor<i32>, tensor<i32>) -> tensor<64x3xf32>
//|       %18 = stablehlo.dot_general %a, %17, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x3xf32>) -> tensor<8x3xf32>
//|       %19 = stablehlo.add %13, %18 : tensor<8x3xf32>
//|       %20 = stablehlo.constant dense<1> : tensor<i32>
//|       %21 = stablehlo.add %iterArg, %20 : tensor<i32>
//|       stablehlo.return %21, %19, %15 : tensor<i32>, tensor<8x3xf32>, tensor<i32>
//|     }
//|     return %12#1 : tensor<8x3xf32>
//|   }
//| }
//| --- equal loops=one-way seeds=3
//| --- equal loops=unrolled seeds=3
//| --- equal loops=both-ways seeds=3
//| --- equal loops=both-ways,unrolled seeds=3
