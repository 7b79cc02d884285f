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
//|     %13 = stablehlo.constant dense<0> : tensor<i32>
//|     %14 = stablehlo.dynamic_update_slice %12, %11, %13, %1 : (tensor<2x6xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
//|     %15 = "stablehlo.collective_permute"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0]]> : tensor<6x2xi64>, use_global_device_ids}> : (tensor<5x1xf32>) -> tensor<5x1xf32>
//|     %16 = stablehlo.add %6, %3 : tensor<i32>
//|     %17 = stablehlo.remainder %16, %4 : tensor<i32>
//|     %18 = "stablehlo.collective_permute"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, source_target_pairs = dense<[[0, 5], [1, 0], [2, 1], [3, 2], [4, 3], [5, 4]]> : tensor<6x2xi64>, use_global_device_ids}> : (tensor<5x1xf32>) -> tensor<5x1xf32>
//|     %19 = stablehlo.add %10, %8 : tensor<i32>
//|     %20 = stablehlo.remainder %19, %4 : tensor<i32>
//|     %21 = stablehlo.dot_general %a, %2, contracting_dims = [1] x [0] : (tensor<2x5xf32>, tensor<5x1xf32>) -> tensor<2x1xf32>
//|     %22 = stablehlo.dynamic_update_slice %14, %21, %13, %6 : (tensor<2x6xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
//|     %23 = stablehlo.dot_general %a, %7, contracting_dims = [1] x [0] : (tensor<2x5xf32>, tensor<5x1xf32>) -> tensor<2x1xf32>
//|     %24 = stablehlo.dynamic_update_slice %22, %23, %13, %10 : (tensor<2x6xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
//|     %25 = "stablehlo.collective_permute"(%15) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0]]> : tensor<6x2xi64>, use_global_device_ids}> : (tensor<5x1xf32>) -> tensor<5x1xf32>
//|     %26 = stablehlo.add %17, %3 : tensor<i32>
//|     %27 = stablehlo.remainder %26, %4 : tensor<i32>
//|     %28 = stablehlo.dot_general %a, %15, contracting_dims = [1] x [0] : (tensor<2x5xf32>, tensor<5x1xf32>) -> tensor<2x1xf32>
//|     %29 = stablehlo.dynamic_update_slice %24, %28, %13, %17 : (tensor<2x6xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
//|     %30 = stablehlo.dot_general %a, %18, contracting_dims = [1] x [0] : (tensor<2x5xf32>, tensor<5x1xf32>) -> tensor<2x1xf32>
//|     %31 = stablehlo.dynamic_update_slice %29, %30, %13, %20 : (tensor<2x6xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
//|     %32 = stablehlo.dot_general %a, %25, contracting_dims = [1] x [0] : (tensor<2x5xf32>, tensor<5x1xf32>) -> tensor<2x1xf32>
//|     %c = stablehlo.dynamic_update_slice %31, %32, %13, %27 : (tensor<2x6xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
//|     return %c : tensor<2x6xf32>
//|   }
//| }
//| --- equal loops=both-ways seeds=3
//| --- equal loops=both-ways,unrolled seeds=3
