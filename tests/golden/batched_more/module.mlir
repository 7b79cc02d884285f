module @jit_batched_more attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x6x8xf32>, %arg1: tensor<2x6xcomplex<f32>>, %arg2: tensor<2x6xi32>, %arg3: tensor<2xi32>, %arg4: tensor<2x2xui32>) -> (tensor<2x3x8xf32> {jax.result_info = "result[0]"}, tensor<2x6x8xf32> {jax.result_info = "result[1]"}, tensor<2x6x3xf32> {jax.result_info = "result[2][0]"}, tensor<2x6x3xi32> {jax.result_info = "result[2][1]"}, tensor<2x6xcomplex<f32>> {jax.result_info = "result[3]"}, tensor<2x6x5xcomplex<f32>> {jax.result_info = "result[4]"}, tensor<2x6x8xf32> {jax.result_info = "result[5][0]"}, tensor<2x6x8xf32> {jax.result_info = "result[5][1]"}, tensor<2x4xui32> {jax.result_info = "result[6]"}, tensor<2x6xi8> {jax.result_info = "result[7]"}, tensor<2x6xi32> {jax.result_info = "result[8]"}, tensor<2x6x8xbf16> {jax.result_info = "result[9]"}, tensor<2x2x3xf32> {jax.result_info = "result[10]"}, tensor<2x6x8xf32> {jax.result_info = "result[11]"}, tensor<2x6x8xf32> {jax.result_info = "result[12]"}, tensor<2x6xcomplex<f32>> {jax.result_info = "result[13]"}, tensor<2x6x8xf32> {jax.result_info = "result[14]"}, tensor<2x6x8xf32> {jax.result_info = "result[15]"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [1, 1]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 2, 3>, window_strides = array<i64: 1, 2, 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %92 = stablehlo.maximum %arg5, %arg6 : tensor<f32>
      stablehlo.return %92 : tensor<f32>
    }) : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<f32>
    %3 = "stablehlo.reduce_window"(%arg0, %2) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [1, 1]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 2, 3>, window_strides = array<i64: 1, 2, 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %92 = stablehlo.maximum %arg5, %arg6 : tensor<f32>
      stablehlo.return %92 : tensor<f32>
    }) : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x8xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [1, 2] : (tensor<3x8xf32>) -> tensor<2x3x8xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %7 = stablehlo.pad %arg0, %cst_3, low = [0, 0, 1], high = [0, 0, 1], interior = [0, 0, 0] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6x10xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = "stablehlo.select_and_scatter"(%7, %6, %cst_4) <{padding = dense<0> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 2, 3>, window_strides = array<i64: 1, 2, 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %92 = stablehlo.compare GE, %arg5, %arg6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %92 : tensor<i1>
    }, {
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %92 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %92 : tensor<f32>
    }) : (tensor<2x6x10xf32>, tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x6x10xf32>
    %9 = stablehlo.slice %8 [0:2, 0:6, 1:9] : (tensor<2x6x10xf32>) -> tensor<2x6x8xf32>
    %values, %indices = chlo.top_k(%arg0, k = 3) : tensor<2x6x8xf32> -> (tensor<2x6x3xf32>, tensor<2x6x3xi32>)
    %10 = call @fft(%arg1) : (tensor<2x6xcomplex<f32>>) -> tensor<2x6xcomplex<f32>>
    %11 = call @fft_1(%arg0) : (tensor<2x6x8xf32>) -> tensor<2x6x5xcomplex<f32>>
    %12 = stablehlo.negate %arg0 : tensor<2x6x8xf32>
    %13:2 = "stablehlo.sort"(%arg0, %12) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<f32>):
      %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %92 = stablehlo.compare EQ, %arg5, %cst_21, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %93 = stablehlo.select %92, %cst_22, %arg5 : tensor<i1>, tensor<f32>
      %94 = stablehlo.compare NE, %arg5, %arg5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_23 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %95 = stablehlo.select %94, %cst_23, %93 : tensor<i1>, tensor<f32>
      %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %96 = stablehlo.compare EQ, %arg6, %cst_24, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %97 = stablehlo.select %96, %cst_25, %arg6 : tensor<i1>, tensor<f32>
      %98 = stablehlo.compare NE, %arg6, %arg6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_26 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %99 = stablehlo.select %98, %cst_26, %97 : tensor<i1>, tensor<f32>
      %100 = stablehlo.compare LT, %95, %99, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %100 : tensor<i1>
    }) : (tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> (tensor<2x6x8xf32>, tensor<2x6x8xf32>)
    %14 = stablehlo.slice %arg4 [0:2, 0:1] : (tensor<2x2xui32>) -> tensor<2x1xui32>
    %15 = stablehlo.reshape %14 : (tensor<2x1xui32>) -> tensor<2xui32>
    %16 = stablehlo.slice %arg4 [0:2, 1:2] : (tensor<2x2xui32>) -> tensor<2x1xui32>
    %17 = stablehlo.reshape %16 : (tensor<2x1xui32>) -> tensor<2xui32>
    %18 = stablehlo.iota dim = 0 : tensor<4xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %19 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<4xui64>
    %20 = stablehlo.multiply %19, %18 : tensor<4xui64>
    %c_5 = stablehlo.constant dense<32> : tensor<ui64>
    %21 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui64>) -> tensor<4xui64>
    %22 = stablehlo.shift_right_logical %20, %21 : tensor<4xui64>
    %23 = stablehlo.convert %20 : (tensor<4xui64>) -> tensor<4xui32>
    %24 = stablehlo.convert %22 : (tensor<4xui64>) -> tensor<4xui32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [1] : (tensor<4xui32>) -> tensor<1x4xui32>
    %26 = stablehlo.broadcast_in_dim %23, dims = [1] : (tensor<4xui32>) -> tensor<1x4xui32>
    %27 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<2xui32>) -> tensor<2x1xui32>
    %28 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<2xui32>) -> tensor<2x1xui32>
    %29:2 = call @threefry2x32(%27, %28, %25, %26) : (tensor<2x1xui32>, tensor<2x1xui32>, tensor<1x4xui32>, tensor<1x4xui32>) -> (tensor<2x4xui32>, tensor<2x4xui32>)
    %30 = stablehlo.xor %29#0, %29#1 : tensor<2x4xui32>
    %31 = stablehlo.convert %arg2 : (tensor<2x6xi32>) -> tensor<2x6xi8>
    %32 = stablehlo.convert %arg2 : (tensor<2x6xi32>) -> tensor<2x6xi8>
    %33 = stablehlo.multiply %31, %32 : tensor<2x6xi8>
    %c_6 = stablehlo.constant dense<3> : tensor<i32>
    %34 = call @floor_divide(%33, %c_6) : (tensor<2x6xi8>, tensor<i32>) -> tensor<2x6xi8>
    %35 = stablehlo.popcnt %arg2 : tensor<2x6xi32>
    %36 = stablehlo.count_leading_zeros %arg2 : tensor<2x6xi32>
    %37 = stablehlo.add %35, %36 : tensor<2x6xi32>
    %38 = stablehlo.convert %arg0 : (tensor<2x6x8xf32>) -> tensor<2x6x8xbf16>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%arg0 init: %cst_7) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2xf32>
    %40 = stablehlo.convert %39 : (tensor<2xf32>) -> tensor<2xbf16>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0] : (tensor<2xbf16>) -> tensor<2x1x1xbf16>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2] : (tensor<2x1x1xbf16>) -> tensor<2x6x8xbf16>
    %43 = stablehlo.add %38, %42 : tensor<2x6x8xbf16>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %44 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %45 = stablehlo.compare LT, %arg3, %44, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_9 = stablehlo.constant dense<6> : tensor<i32>
    %46 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %47 = stablehlo.add %arg3, %46 : tensor<2xi32>
    %48 = stablehlo.select %45, %47, %arg3 : tensor<2xi1>, tensor<2xi32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %49 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %50 = stablehlo.compare LT, %arg3, %49, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_11 = stablehlo.constant dense<8> : tensor<i32>
    %51 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %52 = stablehlo.add %arg3, %51 : tensor<2xi32>
    %53 = stablehlo.select %50, %52, %arg3 : tensor<2xi1>, tensor<2xi32>
    %54 = stablehlo.broadcast_in_dim %48, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %55 = stablehlo.broadcast_in_dim %53, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %56 = stablehlo.concatenate %54, %55, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
    %57 = "stablehlo.gather"(%arg0, %56) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 2, 3>}> : (tensor<2x6x8xf32>, tensor<2x2xi32>) -> tensor<2x2x3xf32>
    %58 = stablehlo.slice %arg0 [0:2, 0:2, 0:8] : (tensor<2x6x8xf32>) -> tensor<2x2x8xf32>
    %59 = stablehlo.negate %58 : tensor<2x2x8xf32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %60 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %61 = stablehlo.compare LT, %arg3, %60, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_13 = stablehlo.constant dense<6> : tensor<i32>
    %62 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %63 = stablehlo.add %arg3, %62 : tensor<2xi32>
    %64 = stablehlo.select %61, %63, %arg3 : tensor<2xi1>, tensor<2xi32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %66 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
    %67 = stablehlo.concatenate %65, %66, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
    %c_15 = stablehlo.constant dense<[4, 0]> : tensor<2xi32>
    %c_16 = stablehlo.constant dense<2147483647> : tensor<i32>
    %68 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %69 = stablehlo.minimum %c_15, %68 : tensor<2xi32>
    %70 = stablehlo.broadcast_in_dim %69, dims = [1] : (tensor<2xi32>) -> tensor<2x2xi32>
    %c_17 = stablehlo.constant dense<0> : tensor<i32>
    %71 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %72 = stablehlo.clamp %71, %67, %70 : tensor<2x2xi32>
    %73 = "stablehlo.scatter"(%arg0, %72, %59) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      stablehlo.return %arg6 : tensor<f32>
    }) : (tensor<2x6x8xf32>, tensor<2x2xi32>, tensor<2x2x8xf32>) -> tensor<2x6x8xf32>
    %74 = call @cummax(%arg0) : (tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
    %75 = stablehlo.real %arg1 : (tensor<2x6xcomplex<f32>>) -> tensor<2x6xf32>
    %76 = stablehlo.imag %arg1 : (tensor<2x6xcomplex<f32>>) -> tensor<2x6xf32>
    %77 = stablehlo.negate %76 : tensor<2x6xf32>
    %78 = stablehlo.complex %75, %77 : tensor<2x6xcomplex<f32>>
    %79 = stablehlo.multiply %arg1, %78 : tensor<2x6xcomplex<f32>>
    %80 = stablehlo.convert %arg0 : (tensor<2x6x8xf32>) -> tensor<2x6x8xf8E4M3FN>
    %81 = stablehlo.convert %80 : (tensor<2x6x8xf8E4M3FN>) -> tensor<2x6x8xf32>
    %82 = stablehlo.negate %arg0 : tensor<2x6x8xf32>
    %cst_18 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x6x8xf32>
    %84 = stablehlo.multiply %83, %arg0 : tensor<2x6x8xf32>
    %85 = stablehlo.broadcast_in_dim %arg3, dims = [0] : (tensor<2xi32>) -> tensor<2x6x8xi32>
    %c_19 = stablehlo.constant dense<1> : tensor<i32>
    %86 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i32>) -> tensor<2x6x8xi32>
    %87 = stablehlo.compare LT, %85, %86, SIGNED : (tensor<2x6x8xi32>, tensor<2x6x8xi32>) -> tensor<2x6x8xi1>
    %c_20 = stablehlo.constant dense<2> : tensor<i32>
    %88 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i32>) -> tensor<2x6x8xi32>
    %89 = stablehlo.compare LT, %85, %88, SIGNED : (tensor<2x6x8xi32>, tensor<2x6x8xi32>) -> tensor<2x6x8xi1>
    %90 = stablehlo.select %89, %82, %84 : tensor<2x6x8xi1>, tensor<2x6x8xf32>
    %91 = stablehlo.select %87, %arg0, %90 : tensor<2x6x8xi1>, tensor<2x6x8xf32>
    return %1, %9, %values, %indices, %10, %11, %13#0, %13#1, %30, %34, %37, %43, %57, %73, %74, %79, %81, %91 : tensor<2x3x8xf32>, tensor<2x6x8xf32>, tensor<2x6x3xf32>, tensor<2x6x3xi32>, tensor<2x6xcomplex<f32>>, tensor<2x6x5xcomplex<f32>>, tensor<2x6x8xf32>, tensor<2x6x8xf32>, tensor<2x4xui32>, tensor<2x6xi8>, tensor<2x6xi32>, tensor<2x6x8xbf16>, tensor<2x2x3xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>, tensor<2x6xcomplex<f32>>, tensor<2x6x8xf32>, tensor<2x6x8xf32>
  }
  func.func private @fft(%arg0: tensor<2x6xcomplex<f32>>) -> tensor<2x6xcomplex<f32>> {
    %0 = call @fft_0(%arg0) : (tensor<2x6xcomplex<f32>>) -> tensor<2x6xcomplex<f32>>
    return %0 : tensor<2x6xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<2x6xcomplex<f32>>) -> tensor<2x6xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [6] : (tensor<2x6xcomplex<f32>>) -> tensor<2x6xcomplex<f32>>
    return %0 : tensor<2x6xcomplex<f32>>
  }
  func.func private @fft_1(%arg0: tensor<2x6x8xf32>) -> tensor<2x6x5xcomplex<f32>> {
    %0 = call @fft_2(%arg0) : (tensor<2x6x8xf32>) -> tensor<2x6x5xcomplex<f32>>
    return %0 : tensor<2x6x5xcomplex<f32>>
  }
  func.func private @fft_2(%arg0: tensor<2x6x8xf32>) -> tensor<2x6x5xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [8] : (tensor<2x6x8xf32>) -> tensor<2x6x5xcomplex<f32>>
    return %0 : tensor<2x6x5xcomplex<f32>>
  }
  func.func private @threefry2x32(%arg0: tensor<2x1xui32>, %arg1: tensor<2x1xui32>, %arg2: tensor<1x4xui32>, %arg3: tensor<1x4xui32>) -> (tensor<2x4xui32>, tensor<2x4xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<2x1xui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<2x1xui32>
    %2 = stablehlo.xor %0, %1 : tensor<2x1xui32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<1x4xui32>) -> tensor<2x4xui32>
    %4 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<2x1xui32>) -> tensor<2x4xui32>
    %5 = stablehlo.add %3, %4 : tensor<2x4xui32>
    %6 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1] : (tensor<1x4xui32>) -> tensor<2x4xui32>
    %7 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : (tensor<2x1xui32>) -> tensor<2x4xui32>
    %8 = stablehlo.add %6, %7 : tensor<2x4xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %5, %iterArg_6 = %8, %iterArg_7 = %arg1, %iterArg_8 = %2, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<2x4xui32>, tensor<2x4xui32>, tensor<2x1xui32>, tensor<2x1xui32>, tensor<2x1xui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %10 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %10:8 = func.call @closed_call(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<2x4xui32>, tensor<2x4xui32>, tensor<2x1xui32>, tensor<2x1xui32>, tensor<2x1xui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<2x4xui32>, tensor<2x4xui32>, tensor<2x1xui32>, tensor<2x1xui32>, tensor<2x1xui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %11, %10#0, %10#1, %10#2, %10#3, %10#4, %10#5, %10#6, %10#7 : tensor<i32>, tensor<i32>, tensor<2x4xui32>, tensor<2x4xui32>, tensor<2x1xui32>, tensor<2x1xui32>, tensor<2x1xui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %9#2, %9#3 : tensor<2x4xui32>, tensor<2x4xui32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<2x4xui32>, %arg2: tensor<2x4xui32>, %arg3: tensor<2x1xui32>, %arg4: tensor<2x1xui32>, %arg5: tensor<2x1xui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<2x4xui32>, tensor<2x4xui32>, tensor<2x1xui32>, tensor<2x1xui32>, tensor<2x1xui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<2x4xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<2x4xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<2x4xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<2x4xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<2x4xui32>
    %9 = stablehlo.or %5, %8 : tensor<2x4xui32>
    %10 = stablehlo.xor %3, %9 : tensor<2x4xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<2x4xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<2x4xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<2x4xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<2x4xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<2x4xui32>
    %19 = stablehlo.or %15, %18 : tensor<2x4xui32>
    %20 = stablehlo.xor %13, %19 : tensor<2x4xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<2x4xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<2x4xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<2x4xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<2x4xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<2x4xui32>
    %29 = stablehlo.or %25, %28 : tensor<2x4xui32>
    %30 = stablehlo.xor %23, %29 : tensor<2x4xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<2x4xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<2x4xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<2x4xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<2x4xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<2x4xui32>
    %39 = stablehlo.or %35, %38 : tensor<2x4xui32>
    %40 = stablehlo.xor %33, %39 : tensor<2x4xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1] : (tensor<2x1xui32>) -> tensor<2x4xui32>
    %42 = stablehlo.add %33, %41 : tensor<2x4xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [0, 1] : (tensor<2x1xui32>) -> tensor<2x4xui32>
    %44 = stablehlo.add %40, %43 : tensor<2x4xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<2x4xui32>
    %48 = stablehlo.add %44, %47 : tensor<2x4xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<2x4xui32>, tensor<2x4xui32>, tensor<2x1xui32>, tensor<2x1xui32>, tensor<2x1xui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @floor_divide(%arg0: tensor<2x6xi8>, %arg1: tensor<i32>) -> tensor<2x6xi8> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<i8>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i8>) -> tensor<2x6xi8>
    %2 = stablehlo.divide %arg0, %1 : tensor<2x6xi8>
    %3 = stablehlo.sign %arg0 : tensor<2x6xi8>
    %4 = stablehlo.sign %0 : tensor<i8>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i8>) -> tensor<2x6xi8>
    %6 = stablehlo.compare NE, %3, %5, SIGNED : (tensor<2x6xi8>, tensor<2x6xi8>) -> tensor<2x6xi1>
    %7 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i8>) -> tensor<2x6xi8>
    %8 = stablehlo.remainder %arg0, %7 : tensor<2x6xi8>
    %c = stablehlo.constant dense<0> : tensor<i8>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i8>) -> tensor<2x6xi8>
    %10 = stablehlo.compare NE, %8, %9, SIGNED : (tensor<2x6xi8>, tensor<2x6xi8>) -> tensor<2x6xi1>
    %11 = stablehlo.and %6, %10 : tensor<2x6xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i8>
    %12 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i8>) -> tensor<2x6xi8>
    %13 = stablehlo.subtract %2, %12 : tensor<2x6xi8>
    %14 = call @_where(%11, %13, %2) : (tensor<2x6xi1>, tensor<2x6xi8>, tensor<2x6xi8>) -> tensor<2x6xi8>
    return %14 : tensor<2x6xi8>
  }
  func.func private @_where(%arg0: tensor<2x6xi1>, %arg1: tensor<2x6xi8>, %arg2: tensor<2x6xi8>) -> tensor<2x6xi8> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<2x6xi1>, tensor<2x6xi8>
    return %0 : tensor<2x6xi8>
  }
  func.func private @cummax(%arg0: tensor<2x6x8xf32>) -> tensor<2x6x8xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [7, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 1, 8>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6x8xf32>
    return %1 : tensor<2x6x8xf32>
  }
}
