// test partition loops=one-way
// test equal loops=one-way seeds=3
// test equal loops=both-ways,unrolled seeds=3
// 10 and 50 contracted elements over 4 devices, 7 columns over 4: garbage is cut off where it lies.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<90x10xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<10x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %u: tensor<5x50xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %v: tensor<50x7xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<90x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<5x7xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) {
    %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<90x10xf32>, tensor<10x3xf32>) -> tensor<90x3xf32>
    %d = stablehlo.dot_general %u, %v, contracting_dims = [1] x [0] : (tensor<5x50xf32>, tensor<50x7xf32>) -> tensor<5x7xf32>
    return %c, %d : tensor<90x3xf32>, tensor<5x7xf32>
  }
}
//| --- partition loops=one-way
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<23x10xf32>, %b: tensor<3x3xf32>, %u: tensor<5x13xf32>, %v: tensor<13x7xf32>) -> (tensor<23x3xf32>, tensor<5x2xf32>) {
//|     %0 = stablehlo.partition_id : tensor<ui32>
//|     %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
//|     %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %3 = stablehlo.pad %v, %2, low = [0, 0], high = [0, 1], interior = [0, 0] : (tensor<13x7xf32>, tensor<f32>) -> tensor<13x8xf32>
//|     %4 = stablehlo.pad %a, %2, low = [0, 0], high = [0, 2], interior = [0, 0] : (tensor<23x10xf32>, tensor<f32>) -> tensor<23x12xf32>
//|     %5 = stablehlo.iota dim = 0 : tensor<3x3xi32>
//|     %6 = stablehlo.constant dense<3> : tensor<i32>
//|     %7 = stablehlo.multiply %1, %6 : tensor<i32>
//|     %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
//|     %9 = stablehlo.add %5, %8 : tensor<3x3xi32>
//|     %10 = stablehlo.constant dense<10> : tensor<3x3xi32>
//|     %11 = stablehlo.compare LT, %9, %10 : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
//|     %12 = stablehlo.constant dense<0.000000e+00> : tensor<3x3xf32>
//|     %13 = stablehlo.select %11, %b, %12 : tensor<3x3xi1>, tensor<3x3xf32>
//|     %14 = stablehlo.iota dim = 1 : tensor<23x12xi32>
//|     %15 = stablehlo.constant dense<10> : tensor<23x12xi32>
//|     %16 = stablehlo.compare LT, %14, %15 : (tensor<23x12xi32>, tensor<23x12xi32>) -> tensor<23x12xi1>
//|     %17 = stablehlo.constant dense<0.000000e+00> : tensor<23x12xf32>
//|     %18 = stablehlo.select %16, %4, %17 : tensor<23x12xi1>, tensor<23x12xf32>
//|     %19 = "stablehlo.collective_permute"(%13) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<3x3xf32>) -> tensor<3x3xf32>
//|     %20 = stablehlo.constant dense<4> : tensor<i32>
//|     %21 = stablehlo.add %1, %6 : tensor<i32>
//|     %22 = stablehlo.remainder %21, %20 : tensor<i32>
//|     %23 = stablehlo.constant dense<0> : tensor<i32>
//|     %24 = stablehlo.dynamic_slice %18, %23, %7, sizes = [23, 3] : (tensor<23x12xf32>, tensor<i32>, tensor<i32>) -> tensor<23x3xf32>
//|     %25 = stablehlo.dot_general %24, %13, contracting_dims = [1] x [0] : (tensor<23x3xf32>, tensor<3x3xf32>) -> tensor<23x3xf32>
//|     %26 = stablehlo.constant dense<0> : tensor<i32>
//|     %27:4 = stablehlo.while(%iterArg = %26, %iterArg_0 = %19, %iterArg_1 = %22, %iterArg_2 = %25) : tensor<i32>, tensor<3x3xf32>, tensor<i32>, tensor<23x3xf32>
//|     cond {
//|       %53 = stablehlo.constant dense<2> : tensor<i32>
//|       %54 = stablehlo.compare LT, %iterArg, %53, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|       stablehlo.return %54 : tensor<i1>
//|     } do {
//|       %53 = "stablehlo.collective_permute"(%iterArg_0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<3x3xf32>) -> tensor<3x3xf32>
//|       %54 = stablehlo.add %iterArg_1, %6 : tensor<i32>
//|       %55 = stablehlo.remainder %54, %20 : tensor<i32>
//|       %56 = stablehlo.multiply %iterArg_1, %6 : tensor<i32>
//|       %57 = stablehlo.dynamic_slice %18, %23, %56, sizes = [23, 3] : (tensor<23x12xf32>, tensor<i32>, tensor<i32>) -> tensor<23x3xf32>
//|       %58 = stablehlo.dot_general %57, %iterArg_0, contracting_dims = [1] x [0] : (tensor<23x3xf32>, tensor<3x3xf32>) -> tensor<23x3xf32>
//|       %59 = stablehlo.add %iterArg_2, %58 : tensor<23x3xf32>
//|       %60 = stablehlo.constant dense<1> : tensor<i32>
//|       %61 = stablehlo.add %iterArg, %60 : tensor<i32>
//|       stablehlo.return %61, %53, %55, %59 : tensor<i32>, tensor<3x3xf32>, tensor<i32>, tensor<23x3xf32>
//|     }
//|     %28 = stablehlo.multiply %27#2, %6 : tensor<i32>
//|     %29 = stablehlo.dynamic_slice %18, %23, %28, sizes = [23, 3] : (tensor<23x12xf32>, tensor<i32>, tensor<i32>) -> tensor<23x3xf32>
//|     %30 = stablehlo.dot_general %29, %27#1, contracting_dims = [1] x [0] : (tensor<23x3xf32>, tensor<3x3xf32>) -> tensor<23x3xf32>
//|     %c = stablehlo.add %27#3, %30 : tensor<23x3xf32>
//|     %31 = stablehlo.iota dim = 1 : tensor<5x13xi32>
//|     %32 = stablehlo.constant dense<13> : tensor<i32>
//|     %33 = stablehlo.multiply %1, %32 : tensor<i32>
//|     %34 = stablehlo.broadcast_in_dim %33, dims = [] : (tensor<i32>) -> tensor<5x13xi32>
//|     %35 = stablehlo.add %31, %34 : tensor<5x13xi32>
//|     %36 = stablehlo.constant dense<50> : tensor<5x13xi32>
//|     %37 = stablehlo.compare LT, %35, %36 : (tensor<5x13xi32>, tensor<5x13xi32>) -> tensor<5x13xi1>
//|     %38 = stablehlo.constant dense<0.000000e+00> : tensor<5x13xf32>
//|     %39 = stablehlo.select %37, %u, %38 : tensor<5x13xi1>, tensor<5x13xf32>
//|     %40 = stablehlo.iota dim = 0 : tensor<13x8xi32>
//|     %41 = stablehlo.broadcast_in_dim %33, dims = [] : (tensor<i32>) -> tensor<13x8xi32>
//|     %42 = stablehlo.add %40, %41 : tensor<13x8xi32>
//|     %43 = stablehlo.constant dense<50> : tensor<13x8xi32>
//|     %44 = stablehlo.compare LT, %42, %43 : (tensor<13x8xi32>, tensor<13x8xi32>) -> tensor<13x8xi1>
//|     %45 = stablehlo.constant dense<0.000000e+00> : tensor<13x8xf32>
//|     %46 = stablehlo.select %44, %3, %45 : tensor<13x8xi1>, tensor<13x8xf32>
//|     %47 = stablehlo.constant dense<2> : tensor<i32>
//|     %48 = stablehlo.multiply %22, %47 : tensor<i32>
//|     %49 = stablehlo.dynamic_slice %46, %23, %48, sizes = [13, 2] : (tensor<13x8xf32>, tensor<i32>, tensor<i32>) -> tensor<13x2xf32>
//|     %50 = stablehlo.dot_general %39, %49, contracting_dims = [1] x [0] : (tensor<5x13xf32>, tensor<13x2xf32>) -> tensor<5x2xf32>
//|     %51 = stablehlo.constant dense<0> : tensor<i32>
//|     %52:3 = stablehlo.while(%iterArg = %51, %iterArg_0 = %50, %iterArg_1 = %22) : tensor<i32>, tensor<5x2xf32>, tensor<i32>
//|     cond {
//|       %53 = stablehlo.constant dense<3> : tensor<i32>
//|       %54 = stablehlo.compare LT, %iterArg, %53, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|       stablehlo.return %54 : tensor<i1>
//|     } do {
//|       %53 = "stablehlo.collective_permute"(%iterArg_0) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<5x2xf32>) -> tensor<5x2xf32>
//|       %54 = stablehlo.add %iterArg_1, %6 : tensor<i32>
//|       %55 = stablehlo.remainder %54, %20 : tensor<i32>
//|       %56 = stablehlo.multiply %55, %47 : tensor<i32>
//|       %57 = stablehlo.dynamic_slice %46, %23, %56, sizes = [13, 2] : (tensor<13x8xf32>, tensor<i32>, tensor<i32>) -> tensor<13x2xf32>
//|       %58 = stablehlo.dot_general %39, %57, contracting_dims = [1] x [0] : (tensor<5x13xf32>, tensor<13x2xf32>) -> tensor<5x2xf32>
//|       %59 = stablehlo.add %53, %58 : tensor<5x2xf32>
//|       %60 = stablehlo.constant dense<1> : tensor<i32>
//|       %61 = stablehlo.add %iterArg, %60 : tensor<i32>
//|       stablehlo.return %61, %59, %55 : tensor<i32>, tensor<5x2xf32>, tensor<i32>
//|     }
//|     return %c, %52#1 : tensor<23x3xf32>, tensor<5x2xf32>
//|   }
//| }
//| --- equal loops=one-way seeds=3
//| --- equal loops=both-ways,unrolled seeds=3
