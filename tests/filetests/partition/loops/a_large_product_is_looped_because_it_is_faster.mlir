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
//|     %11 = stablehlo.constant dense<0.000000e+00> : tensor<4096x32768xf32>
//|     %12 = stablehlo.constant dense<4096> : tensor<i32>
//|     %13 = stablehlo.multiply %1, %12 : tensor<i32>
//|     %14 = stablehlo.constant dense<0> : tensor<i32>
//|     %15 = "stablehlo.collective_permute"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>, use_global_device_ids}> : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
//|     %16 = stablehlo.add %6, %3 : tensor<i32>
//|     %17 = stablehlo.remainder %16, %4 : tensor<i32>
//|     %18 = "stablehlo.collective_permute"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, source_target_pairs = dense<[[0, 7], [1, 0], [2, 1], [3, 2], [4, 3], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>, use_global_device_ids}> : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
//|     %19 = stablehlo.add %10, %8 : tensor<i32>
//|     %20 = stablehlo.remainder %19, %4 : tensor<i32>
//|     %21 = stablehlo.multiply %6, %12 : tensor<i32>
//|     %22 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
//|     %23 = stablehlo.dynamic_update_slice %11, %22, %14, %13 : (tensor<4096x32768xf32>, tensor<4096x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<4096x32768xf32>
//|     %24 = stablehlo.dot_general %a, %2, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
//|     %25 = stablehlo.dynamic_update_slice %23, %24, %14, %21 : (tensor<4096x32768xf32>, tensor<4096x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<4096x32768xf32>
//|     %26 = stablehlo.multiply %10, %12 : tensor<i32>
//|     %27 = stablehlo.dot_general %a, %7, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
//|     %28 = stablehlo.dynamic_update_slice %25, %27, %14, %26 : (tensor<4096x32768xf32>, tensor<4096x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<4096x32768xf32>
//|     %29 = "stablehlo.collective_permute"(%15) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>, use_global_device_ids}> : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
//|     %30 = stablehlo.add %17, %3 : tensor<i32>
//|     %31 = stablehlo.remainder %30, %4 : tensor<i32>
//|     %32 = "stablehlo.collective_permute"(%18) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, source_target_pairs = dense<[[0, 7], [1, 0], [2, 1], [3, 2], [4, 3], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>, use_global_device_ids}> : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
//|     %33 = stablehlo.add %20, %8 : tensor<i32>
//|     %34 = stablehlo.remainder %33, %4 : tensor<i32>
//|     %35 = stablehlo.multiply %17, %12 : tensor<i32>
//|     %36 = stablehlo.dot_general %a, %15, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
//|     %37 = stablehlo.dynamic_update_slice %28, %36, %14, %35 : (tensor<4096x32768xf32>, tensor<4096x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<4096x32768xf32>
//|     %38 = stablehlo.multiply %20, %12 : tensor<i32>
//|     %39 = stablehlo.dot_general %a, %18, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
//|     %40 = stablehlo.dynamic_update_slice %37, %39, %14, %38 : (tensor<4096x32768xf32>, tensor<4096x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<4096x32768xf32>
//|     %41 = "stablehlo.collective_permute"(%29) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>, use_global_device_ids}> : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
//|     %42 = stablehlo.add %31, %3 : tensor<i32>
//|     %43 = stablehlo.remainder %42, %4 : tensor<i32>
//|     %44 = stablehlo.multiply %31, %12 : tensor<i32>
//|     %45 = stablehlo.dot_general %a, %29, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
//|     %46 = stablehlo.dynamic_update_slice %40, %45, %14, %44 : (tensor<4096x32768xf32>, tensor<4096x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<4096x32768xf32>
//|     %47 = stablehlo.multiply %34, %12 : tensor<i32>
//|     %48 = stablehlo.dot_general %a, %32, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
//|     %49 = stablehlo.dynamic_update_slice %46, %48, %14, %47 : (tensor<4096x32768xf32>, tensor<4096x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<4096x32768xf32>
//|     %50 = stablehlo.multiply %43, %12 : tensor<i32>
//|     %51 = stablehlo.dot_general %a, %41, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
//|     %52 = stablehlo.dynamic_update_slice %49, %51, %14, %50 : (tensor<4096x32768xf32>, tensor<4096x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<4096x32768xf32>
//|     %c = stablehlo.convert %52 : (tensor<4096x32768xf32>) -> tensor<4096x32768xbf16>
//|     return %c : tensor<4096x32768xbf16>
//|   }
//| }
