// test partition loops=one-way
// test equal loops=one-way seeds=3
// test equal loops=both-ways seeds=3
// bf16: products of pieces are summed in f32; what travels is rounded, as a partial value is.
module {
  sdy.mesh @m = <["x"=3]>
  func.func public @main(%a: tensor<6x9xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<9x2xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %u: tensor<3x6xbf16> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %v: tensor<6x3xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<6x2xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<3x3xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<6x9xbf16>, tensor<9x2xbf16>) -> tensor<6x2xbf16>
    %d = stablehlo.dot_general %u, %v, contracting_dims = [1] x [0] : (tensor<3x6xbf16>, tensor<6x3xbf16>) -> tensor<3x3xbf16>
    return %c, %d : tensor<6x2xbf16>, tensor<3x3xbf16>
  }
}
//| --- partition loops=one-way
//| module attributes {mhlo.num_partitions = 3 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=3]>
//|   func.func public @main(%a: tensor<2x9xbf16>, %b: tensor<3x2xbf16>, %u: tensor<3x2xbf16>, %v: tensor<2x3xbf16>) -> (tensor<2x2xbf16>, tensor<1x3xbf16>) {
//|     %0 = stablehlo.partition_id : tensor<ui32>
//|     %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
//|     %2 = "stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<3x2xbf16>) -> tensor<3x2xbf16>
//|     %3 = stablehlo.constant dense<2> : tensor<i32>
//|     %4 = stablehlo.constant dense<3> : tensor<i32>
//|     %5 = stablehlo.add %1, %3 : tensor<i32>
//|     %6 = stablehlo.remainder %5, %4 : tensor<i32>
//|     %7 = stablehlo.multiply %1, %4 : tensor<i32>
//|     %8 = stablehlo.constant dense<0> : tensor<i32>
//|     %9 = stablehlo.dynamic_slice %a, %8, %7, sizes = [2, 3] : (tensor<2x9xbf16>, tensor<i32>, tensor<i32>) -> tensor<2x3xbf16>
//|     %10 = stablehlo.dot_general %9, %b, contracting_dims = [1] x [0] : (tensor<2x3xbf16>, tensor<3x2xbf16>) -> tensor<2x2xf32>
//|     %11 = "stablehlo.collective_permute"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<3x2xbf16>) -> tensor<3x2xbf16>
//|     %12 = stablehlo.add %6, %3 : tensor<i32>
//|     %13 = stablehlo.remainder %12, %4 : tensor<i32>
//|     %14 = stablehlo.multiply %6, %4 : tensor<i32>
//|     %15 = stablehlo.dynamic_slice %a, %8, %14, sizes = [2, 3] : (tensor<2x9xbf16>, tensor<i32>, tensor<i32>) -> tensor<2x3xbf16>
//|     %16 = stablehlo.dot_general %15, %2, contracting_dims = [1] x [0] : (tensor<2x3xbf16>, tensor<3x2xbf16>) -> tensor<2x2xf32>
//|     %17 = stablehlo.add %10, %16 : tensor<2x2xf32>
//|     %18 = stablehlo.multiply %13, %4 : tensor<i32>
//|     %19 = stablehlo.dynamic_slice %a, %8, %18, sizes = [2, 3] : (tensor<2x9xbf16>, tensor<i32>, tensor<i32>) -> tensor<2x3xbf16>
//|     %20 = stablehlo.dot_general %19, %11, contracting_dims = [1] x [0] : (tensor<2x3xbf16>, tensor<3x2xbf16>) -> tensor<2x2xf32>
//|     %21 = stablehlo.add %17, %20 : tensor<2x2xf32>
//|     %c = stablehlo.convert %21 : (tensor<2x2xf32>) -> tensor<2x2xbf16>
//|     %22 = stablehlo.dynamic_slice %u, %6, %8, sizes = [1, 2] : (tensor<3x2xbf16>, tensor<i32>, tensor<i32>) -> tensor<1x2xbf16>
//|     %23 = stablehlo.dot_general %22, %v, contracting_dims = [1] x [0] : (tensor<1x2xbf16>, tensor<2x3xbf16>) -> tensor<1x3xf32>
//|     %24 = stablehlo.convert %23 : (tensor<1x3xf32>) -> tensor<1x3xbf16>
//|     %25 = stablehlo.constant dense<0> : tensor<i32>
//|     %26:3 = stablehlo.while(%iterArg = %25, %iterArg_0 = %24, %iterArg_1 = %6) : tensor<i32>, tensor<1x3xbf16>, tensor<i32>
//|     cond {
//|       %27 = stablehlo.constant dense<2> : tensor<i32>
//|       %28 = stablehlo.compare LT, %iterArg, %27, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|       stablehlo.return %28 : tensor<i1>
//|     } do {
//|       %27 = "stablehlo.collective_permute"(%iterArg_0) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<1x3xbf16>) -> tensor<1x3xbf16>
//|       %28 = stablehlo.add %iterArg_1, %3 : tensor<i32>
//|       %29 = stablehlo.remainder %28, %4 : tensor<i32>
//|       %30 = stablehlo.dynamic_slice %u, %29, %8, sizes = [1, 2] : (tensor<3x2xbf16>, tensor<i32>, tensor<i32>) -> tensor<1x2xbf16>
//|       %31 = stablehlo.dot_general %30, %v, contracting_dims = [1] x [0] : (tensor<1x2xbf16>, tensor<2x3xbf16>) -> tensor<1x3xf32>
//|       %32 = stablehlo.convert %27 : (tensor<1x3xbf16>) -> tensor<1x3xf32>
//|       %33 = stablehlo.add %32, %31 : tensor<1x3xf32>
//|       %34 = stablehlo.convert %33 : (tensor<1x3xf32>) -> tensor<1x3xbf16>
//|       %35 = stablehlo.constant dense<1> : tensor<i32>
//|       %36 = stablehlo.add %iterArg, %35 : tensor<i32>
//|       stablehlo.return %36, %34, %29 : tensor<i32>, tensor<1x3xbf16>, tensor<i32>
//|     }
//|     return %c, %26#1 : tensor<2x2xbf16>, tensor<1x3xbf16>
//|   }
//| }
//| --- equal loops=one-way seeds=3
//| --- equal loops=both-ways seeds=3
