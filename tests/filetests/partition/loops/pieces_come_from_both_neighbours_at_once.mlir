// test partition loops=both-ways
// test equal loops=both-ways seeds=3
// test equal loops=both-ways,unrolled seeds=3
// Six devices: two pieces a step from either side, two steps; the piece of the device opposite comes one way.
module {
  sdy.mesh @m = <["x"=6]>
  func.func public @main(%a: tensor<12x5xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<5x6xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<12x5xf32>, tensor<5x6xf32>) -> tensor<12x6xf32>
    return %c : tensor<12x6xf32>
  }
}
//| --- partition loops=both-ways
//| module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=6]>
//|   func.func public @main(%a: tensor<2x5xf32>, %b: tensor<5x1xf32>) -> tensor<2x6xf32> {
//|     %0 = stablehlo.partition_id : tensor<ui32>
//|     %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
//|     %2 = "stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0]]> : tensor<6x2xi64>, use_global_device_ids}> : (tensor<5x1xf32>) -> tensor<5x1xf32>
//|     %3 = stablehlo.constant dense<5> : tensor<i32>
//|     %4 = stablehlo.constant dense<6> : tensor<i32>
//|     %5 = stablehlo.add %1, %3 : tensor<i32>
//|     %6 = stablehlo.remainder %5, %4 : tensor<i32>
//|     %7 = "stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 5], [1, 0], [2, 1], [3, 2], [4, 3], [5, 4]]> : tensor<6x2xi64>, use_global_device_ids}> : (tensor<5x1xf32>) -> tensor<5x1xf32>
//|     %8 = stablehlo.constant dense<1> : tensor<i32>
//|     %9 = stablehlo.add %1, %8 : tensor<i32>
//|     %10 = stablehlo.remainder %9, %4 : tensor<i32>
//|     %11 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x5xf32>, tensor<5x1xf32>) -> tensor<2x1xf32>
//|     %12 = stablehlo.constant dense<0.000000e+00> : tensor<2x6xf32>
//|     %13 = stablehlo.multiply %1, %8 : tensor<i32>
//|     %14 = stablehlo.constant dense<0> : tensor<i32>
//|     %15 = stablehlo.dynamic_update_slice %12, %11, %14, %13 : (tensor<2x6xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
//|     %16 = "stablehlo.collective_permute"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0]]> : tensor<6x2xi64>, use_global_device_ids}> : (tensor<5x1xf32>) -> tensor<5x1xf32>
//|     %17 = stablehlo.add %6, %3 : tensor<i32>
//|     %18 = stablehlo.remainder %17, %4 : tensor<i32>
//|     %19 = "stablehlo.collective_permute"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, source_target_pairs = dense<[[0, 5], [1, 0], [2, 1], [3, 2], [4, 3], [5, 4]]> : tensor<6x2xi64>, use_global_device_ids}> : (tensor<5x1xf32>) -> tensor<5x1xf32>
//|     %20 = stablehlo.add %10, %8 : tensor<i32>
//|     %21 = stablehlo.remainder %20, %4 : tensor<i32>
//|     %22 = stablehlo.dot_general %a, %2, contracting_dims = [1] x [0] : (tensor<2x5xf32>, tensor<5x1xf32>) -> tensor<2x1xf32>
//|     %23 = stablehlo.multiply %6, %8 : tensor<i32>
//|     %24 = stablehlo.dynamic_update_slice %15, %22, %14, %23 : (tensor<2x6xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
//|     %25 = stablehlo.dot_general %a, %7, contracting_dims = [1] x [0] : (tensor<2x5xf32>, tensor<5x1xf32>) -> tensor<2x1xf32>
//|     %26 = stablehlo.multiply %10, %8 : tensor<i32>
//|     %27 = stablehlo.dynamic_update_slice %24, %25, %14, %26 : (tensor<2x6xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
//|     %28 = "stablehlo.collective_permute"(%16) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0]]> : tensor<6x2xi64>, use_global_device_ids}> : (tensor<5x1xf32>) -> tensor<5x1xf32>
//|     %29 = stablehlo.add %18, %3 : tensor<i32>
//|     %30 = stablehlo.remainder %29, %4 : tensor<i32>
//|     %31 = stablehlo.dot_general %a, %16, contracting_dims = [1] x [0] : (tensor<2x5xf32>, tensor<5x1xf32>) -> tensor<2x1xf32>
//|     %32 = stablehlo.multiply %18, %8 : tensor<i32>
//|     %33 = stablehlo.dynamic_update_slice %27, %31, %14, %32 : (tensor<2x6xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
//|     %34 = stablehlo.dot_general %a, %19, contracting_dims = [1] x [0] : (tensor<2x5xf32>, tensor<5x1xf32>) -> tensor<2x1xf32>
//|     %35 = stablehlo.multiply %21, %8 : tensor<i32>
//|     %36 = stablehlo.dynamic_update_slice %33, %34, %14, %35 : (tensor<2x6xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
//|     %37 = stablehlo.dot_general %a, %28, contracting_dims = [1] x [0] : (tensor<2x5xf32>, tensor<5x1xf32>) -> tensor<2x1xf32>
//|     %38 = stablehlo.multiply %30, %8 : tensor<i32>
//|     %c = stablehlo.dynamic_update_slice %36, %37, %14, %38 : (tensor<2x6xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
//|     return %c : tensor<2x6xf32>
//|   }
//| }
//| --- equal loops=both-ways seeds=3
//| --- equal loops=both-ways,unrolled seeds=3
