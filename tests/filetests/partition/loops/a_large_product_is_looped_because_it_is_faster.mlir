// test partition
// The default machine computes while it sends: a gather of 256 MiB is hidden behind the product.
module {
  sdy.mesh @m = <["x"=8]>
  func.func public @main(%a: tensor<32768x4096xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<4096x32768xbf16> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<32768x32768xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<32768x4096xbf16>, tensor<4096x32768xbf16>) -> tensor<32768x32768xbf16>
    return %c : tensor<32768x32768xbf16>
  }
}
//| module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=8]>
//|   func.func public @main(%a: tensor<4096x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<4096x32768xbf16> {
//|     %0 = stablehlo.partition_id : tensor<ui32>
//|     %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
//|     %2 = "stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>, use_global_device_ids}> : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
//|     %3 = stablehlo.constant dense<7> : tensor<i32>
//|     %4 = stablehlo.constant dense<8> : tensor<i32>
//|     %5 = stablehlo.add %1, %3 : tensor<i32>
//|     %6 = stablehlo.remainder %5, %4 : tensor<i32>
//|     %7 = "stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 7], [1, 0], [2, 1], [3, 2], [4, 3], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>, use_global_device_ids}> : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
//|     %8 = stablehlo.constant dense<1> : tensor<i32>
//|     %9 = stablehlo.add %1, %8 : tensor<i32>
//|     %10 = stablehlo.remainder %9, %4 : tensor<i32>
//|     %11 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
//|     %12 = stablehlo.constant dense<0.000000e+00> : tensor<4096x32768xf32>
//|     %13 = stablehlo.constant dense<4096> : tensor<i32>
//|     %14 = stablehlo.multiply %1, %13 : tensor<i32>
//|     %15 = stablehlo.constant dense<0> : tensor<i32>
//|     %16 = stablehlo.dynamic_update_slice %12, %11, %15, %14 : (tensor<4096x32768xf32>, tensor<4096x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<4096x32768xf32>
//|     %17 = "stablehlo.collective_permute"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>, use_global_device_ids}> : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
//|     %18 = stablehlo.add %6, %3 : tensor<i32>
//|     %19 = stablehlo.remainder %18, %4 : tensor<i32>
//|     %20 = "stablehlo.collective_permute"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, source_target_pairs = dense<[[0, 7], [1, 0], [2, 1], [3, 2], [4, 3], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>, use_global_device_ids}> : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
//|     %21 = stablehlo.add %10, %8 : tensor<i32>
//|     %22 = stablehlo.remainder %21, %4 : tensor<i32>
//|     %23 = stablehlo.dot_general %a, %2, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
//|     %24 = stablehlo.multiply %6, %13 : tensor<i32>
//|     %25 = stablehlo.dynamic_update_slice %16, %23, %15, %24 : (tensor<4096x32768xf32>, tensor<4096x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<4096x32768xf32>
//|     %26 = stablehlo.dot_general %a, %7, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
//|     %27 = stablehlo.multiply %10, %13 : tensor<i32>
//|     %28 = stablehlo.dynamic_update_slice %25, %26, %15, %27 : (tensor<4096x32768xf32>, tensor<4096x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<4096x32768xf32>
//|     %29 = "stablehlo.collective_permute"(%17) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>, use_global_device_ids}> : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
//|     %30 = stablehlo.add %19, %3 : tensor<i32>
//|     %31 = stablehlo.remainder %30, %4 : tensor<i32>
//|     %32 = "stablehlo.collective_permute"(%20) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, source_target_pairs = dense<[[0, 7], [1, 0], [2, 1], [3, 2], [4, 3], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>, use_global_device_ids}> : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
//|     %33 = stablehlo.add %22, %8 : tensor<i32>
//|     %34 = stablehlo.remainder %33, %4 : tensor<i32>
//|     %35 = stablehlo.dot_general %a, %17, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
//|     %36 = stablehlo.multiply %19, %13 : tensor<i32>
//|     %37 = stablehlo.dynamic_update_slice %28, %35, %15, %36 : (tensor<4096x32768xf32>, tensor<4096x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<4096x32768xf32>
//|     %38 = stablehlo.dot_general %a, %20, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
//|     %39 = stablehlo.multiply %22, %13 : tensor<i32>
//|     %40 = stablehlo.dynamic_update_slice %37, %38, %15, %39 : (tensor<4096x32768xf32>, tensor<4096x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<4096x32768xf32>
//|     %41 = "stablehlo.collective_permute"(%29) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>, use_global_device_ids}> : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
//|     %42 = stablehlo.add %31, %3 : tensor<i32>
//|     %43 = stablehlo.remainder %42, %4 : tensor<i32>
//|     %44 = stablehlo.dot_general %a, %29, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
//|     %45 = stablehlo.multiply %31, %13 : tensor<i32>
//|     %46 = stablehlo.dynamic_update_slice %40, %44, %15, %45 : (tensor<4096x32768xf32>, tensor<4096x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<4096x32768xf32>
//|     %47 = stablehlo.dot_general %a, %32, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
//|     %48 = stablehlo.multiply %34, %13 : tensor<i32>
//|     %49 = stablehlo.dynamic_update_slice %46, %47, %15, %48 : (tensor<4096x32768xf32>, tensor<4096x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<4096x32768xf32>
//|     %50 = stablehlo.dot_general %a, %41, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
//|     %51 = stablehlo.multiply %43, %13 : tensor<i32>
//|     %52 = stablehlo.dynamic_update_slice %49, %50, %15, %51 : (tensor<4096x32768xf32>, tensor<4096x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<4096x32768xf32>
//|     %c = stablehlo.convert %52 : (tensor<4096x32768xf32>) -> tensor<4096x32768xbf16>
//|     return %c : tensor<4096x32768xbf16>
//|   }
//| }
