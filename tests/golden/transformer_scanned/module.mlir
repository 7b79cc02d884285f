module @jit_transformer_scanned attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x3x8x2x4xf32>, %arg1: tensor<3x2x4x8xf32>, %arg2: tensor<3x8x16xf32>, %arg3: tensor<3x16x8xf32>, %arg4: tensor<3x2x8xf32>, %arg5: tensor<2x4x8xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3x3x8x2x4xf32> {jax.result_info = "result[1][0]"}, tensor<3x2x4x8xf32> {jax.result_info = "result[1][1]"}, tensor<3x8x16xf32> {jax.result_info = "result[1][2]"}, tensor<3x16x8xf32> {jax.result_info = "result[1][3]"}, tensor<3x2x8xf32> {jax.result_info = "result[1][4]"}) {
    %c = stablehlo.constant dense<true> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<4x4xi1>
    %1 = call @tril(%0) : (tensor<4x4xi1>) -> tensor<4x4xi1>
    %cst = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %2:2 = call @_where(%1, %cst) : (tensor<4x4xi1>, tensor<f32>) -> (tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>)
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x2x4x8xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4:10 = stablehlo.while(%iterArg = %arg0, %iterArg_14 = %arg1, %iterArg_15 = %arg2, %iterArg_16 = %arg3, %iterArg_17 = %arg4, %iterArg_18 = %2#0, %iterArg_19 = %2#1, %iterArg_20 = %c_1, %iterArg_21 = %arg5, %iterArg_22 = %3) : tensor<3x3x8x2x4xf32>, tensor<3x2x4x8xf32>, tensor<3x8x16xf32>, tensor<3x16x8xf32>, tensor<3x2x8xf32>, tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>, tensor<i32>, tensor<2x4x8xf32>, tensor<3x2x4x8xf32>
    cond {
      %c_23 = stablehlo.constant dense<3> : tensor<i32>
      %20 = stablehlo.compare LT, %iterArg_20, %c_23, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %20 : tensor<i1>
    } do {
      %20 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_20) : (tensor<3x3x8x2x4xf32>, tensor<i32>) -> tensor<3x8x2x4xf32>
      %21 = func.call @dynamic_index_in_dim_0(%iterArg_14, %iterArg_20) : (tensor<3x2x4x8xf32>, tensor<i32>) -> tensor<2x4x8xf32>
      %22 = func.call @dynamic_index_in_dim_1(%iterArg_15, %iterArg_20) : (tensor<3x8x16xf32>, tensor<i32>) -> tensor<8x16xf32>
      %23 = func.call @dynamic_index_in_dim_2(%iterArg_16, %iterArg_20) : (tensor<3x16x8xf32>, tensor<i32>) -> tensor<16x8xf32>
      %24 = func.call @dynamic_index_in_dim_3(%iterArg_17, %iterArg_20) : (tensor<3x2x8xf32>, tensor<i32>) -> tensor<2x8xf32>
      %25:2 = func.call @closed_call(%iterArg_18, %iterArg_19, %iterArg_21, %20, %21, %22, %23, %24) : (tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>, tensor<2x4x8xf32>, tensor<3x8x2x4xf32>, tensor<2x4x8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<2x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>)
      %26 = func.call @dynamic_update_index_in_dim(%iterArg_22, %25#1, %iterArg_20) : (tensor<3x2x4x8xf32>, tensor<2x4x8xf32>, tensor<i32>) -> tensor<3x2x4x8xf32>
      %c_23 = stablehlo.constant dense<1> : tensor<i32>
      %27 = stablehlo.add %iterArg_20, %c_23 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_14, %iterArg_15, %iterArg_16, %iterArg_17, %iterArg_18, %iterArg_19, %27, %25#0, %26 : tensor<3x3x8x2x4xf32>, tensor<3x2x4x8xf32>, tensor<3x8x16xf32>, tensor<3x16x8xf32>, tensor<3x2x8xf32>, tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>, tensor<i32>, tensor<2x4x8xf32>, tensor<3x2x4x8xf32>
    }
    %5 = stablehlo.multiply %4#8, %4#8 : tensor<2x4x8xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x4x8xf32>
    %7 = stablehlo.multiply %6, %4#8 : tensor<2x4x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%5 init: %cst_3) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_4 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %9 = stablehlo.divide %8, %cst_4 : tensor<f32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x4x8xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_7 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %11 = stablehlo.divide %cst_6, %cst_7 : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f32>) -> tensor<2x4x8xf32>
    %13 = stablehlo.multiply %12, %7 : tensor<2x4x8xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3x3x8x2x4xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3x2x4x8xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<3x8x16xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<3x16x8xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<3x2x8xf32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %19:13 = stablehlo.while(%iterArg = %4#9, %iterArg_14 = %arg0, %iterArg_15 = %arg1, %iterArg_16 = %arg2, %iterArg_17 = %arg3, %iterArg_18 = %arg4, %iterArg_19 = %c_13, %iterArg_20 = %13, %iterArg_21 = %14, %iterArg_22 = %15, %iterArg_23 = %16, %iterArg_24 = %17, %iterArg_25 = %18) : tensor<3x2x4x8xf32>, tensor<3x3x8x2x4xf32>, tensor<3x2x4x8xf32>, tensor<3x8x16xf32>, tensor<3x16x8xf32>, tensor<3x2x8xf32>, tensor<i32>, tensor<2x4x8xf32>, tensor<3x3x8x2x4xf32>, tensor<3x2x4x8xf32>, tensor<3x8x16xf32>, tensor<3x16x8xf32>, tensor<3x2x8xf32>
    cond {
      %c_26 = stablehlo.constant dense<3> : tensor<i32>
      %20 = stablehlo.compare LT, %iterArg_19, %c_26, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %20 : tensor<i1>
    } do {
      %c_26 = stablehlo.constant dense<3> : tensor<i32>
      %20 = stablehlo.subtract %c_26, %iterArg_19 : tensor<i32>
      %c_27 = stablehlo.constant dense<1> : tensor<i32>
      %21 = stablehlo.subtract %20, %c_27 : tensor<i32>
      %22 = func.call @dynamic_index_in_dim_0(%iterArg, %21) : (tensor<3x2x4x8xf32>, tensor<i32>) -> tensor<2x4x8xf32>
      %23 = func.call @dynamic_index_in_dim(%iterArg_14, %21) : (tensor<3x3x8x2x4xf32>, tensor<i32>) -> tensor<3x8x2x4xf32>
      %24 = func.call @dynamic_index_in_dim_0(%iterArg_15, %21) : (tensor<3x2x4x8xf32>, tensor<i32>) -> tensor<2x4x8xf32>
      %25 = func.call @dynamic_index_in_dim_1(%iterArg_16, %21) : (tensor<3x8x16xf32>, tensor<i32>) -> tensor<8x16xf32>
      %26 = func.call @dynamic_index_in_dim_2(%iterArg_17, %21) : (tensor<3x16x8xf32>, tensor<i32>) -> tensor<16x8xf32>
      %27 = func.call @dynamic_index_in_dim_3(%iterArg_18, %21) : (tensor<3x2x8xf32>, tensor<i32>) -> tensor<2x8xf32>
      %28:6 = func.call @closed_call_5(%iterArg_20, %22, %23, %24, %25, %26, %27) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<3x8x2x4xf32>, tensor<2x4x8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<2x8xf32>) -> (tensor<2x4x8xf32>, tensor<3x8x2x4xf32>, tensor<2x4x8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<2x8xf32>)
      %29 = func.call @dynamic_update_index_in_dim_9(%iterArg_21, %28#1, %21) : (tensor<3x3x8x2x4xf32>, tensor<3x8x2x4xf32>, tensor<i32>) -> tensor<3x3x8x2x4xf32>
      %30 = func.call @dynamic_update_index_in_dim(%iterArg_22, %28#2, %21) : (tensor<3x2x4x8xf32>, tensor<2x4x8xf32>, tensor<i32>) -> tensor<3x2x4x8xf32>
      %31 = func.call @dynamic_update_index_in_dim_10(%iterArg_23, %28#3, %21) : (tensor<3x8x16xf32>, tensor<8x16xf32>, tensor<i32>) -> tensor<3x8x16xf32>
      %32 = func.call @dynamic_update_index_in_dim_11(%iterArg_24, %28#4, %21) : (tensor<3x16x8xf32>, tensor<16x8xf32>, tensor<i32>) -> tensor<3x16x8xf32>
      %33 = func.call @dynamic_update_index_in_dim_12(%iterArg_25, %28#5, %21) : (tensor<3x2x8xf32>, tensor<2x8xf32>, tensor<i32>) -> tensor<3x2x8xf32>
      %c_28 = stablehlo.constant dense<1> : tensor<i32>
      %34 = stablehlo.add %iterArg_19, %c_28 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_14, %iterArg_15, %iterArg_16, %iterArg_17, %iterArg_18, %34, %28#0, %29, %30, %31, %32, %33 : tensor<3x2x4x8xf32>, tensor<3x3x8x2x4xf32>, tensor<3x2x4x8xf32>, tensor<3x8x16xf32>, tensor<3x16x8xf32>, tensor<3x2x8xf32>, tensor<i32>, tensor<2x4x8xf32>, tensor<3x3x8x2x4xf32>, tensor<3x2x4x8xf32>, tensor<3x8x16xf32>, tensor<3x16x8xf32>, tensor<3x2x8xf32>
    }
    return %9, %19#8, %19#9, %19#10, %19#11, %19#12 : tensor<f32>, tensor<3x3x8x2x4xf32>, tensor<3x2x4x8xf32>, tensor<3x8x16xf32>, tensor<3x16x8xf32>, tensor<3x2x8xf32>
  }
  func.func private @tril(%arg0: tensor<4x4xi1>) -> tensor<4x4xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %2 = stablehlo.add %0, %1 : tensor<4x4xi32>
    %3 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<4x4xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<4x4xi1>, tensor<4x4xi1>
    return %6 : tensor<4x4xi1>
  }
  func.func private @_where(%arg0: tensor<4x4xi1>, %arg1: tensor<f32>) -> (tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>) {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<4x4xi1>) -> tensor<2x2x4x4xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x4x4xf32>
    return %1, %2 : tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<3x3x8x2x4xf32>, %arg1: tensor<i32>) -> tensor<3x8x2x4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 3, 8, 2, 4] : (tensor<3x3x8x2x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x8x2x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x3x8x2x4xf32>) -> tensor<3x8x2x4xf32>
    return %1 : tensor<3x8x2x4xf32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<3x2x4x8xf32>, %arg1: tensor<i32>) -> tensor<2x4x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 2, 4, 8] : (tensor<3x2x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x4x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x4x8xf32>) -> tensor<2x4x8xf32>
    return %1 : tensor<2x4x8xf32>
  }
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<3x8x16xf32>, %arg1: tensor<i32>) -> tensor<8x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 8, 16] : (tensor<3x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x16xf32>) -> tensor<8x16xf32>
    return %1 : tensor<8x16xf32>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<3x16x8xf32>, %arg1: tensor<i32>) -> tensor<16x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 16, 8] : (tensor<3x16x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x16x8xf32>) -> tensor<16x8xf32>
    return %1 : tensor<16x8xf32>
  }
  func.func private @dynamic_index_in_dim_3(%arg0: tensor<3x2x8xf32>, %arg1: tensor<i32>) -> tensor<2x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 2, 8] : (tensor<3x2x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x8xf32>) -> tensor<2x8xf32>
    return %1 : tensor<2x8xf32>
  }
  func.func private @closed_call(%arg0: tensor<2x2x4x4xi1>, %arg1: tensor<2x2x4x4xf32>, %arg2: tensor<2x4x8xf32>, %arg3: tensor<3x8x2x4xf32>, %arg4: tensor<2x4x8xf32>, %arg5: tensor<8x16xf32>, %arg6: tensor<16x8xf32>, %arg7: tensor<2x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
    %0 = stablehlo.slice %arg7 [0:1, 0:8] : (tensor<2x8xf32>) -> tensor<1x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8xf32>) -> tensor<8xf32>
    %2 = stablehlo.multiply %arg2, %arg2 : tensor<2x4x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %6 = stablehlo.divide %4, %5 : tensor<2x4x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %8 = stablehlo.add %6, %7 : tensor<2x4x1xf32>
    %9 = stablehlo.rsqrt %8 : tensor<2x4x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
    %11 = stablehlo.multiply %arg2, %10 : tensor<2x4x8xf32>
    %12 = stablehlo.broadcast_in_dim %1, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x4x8xf32>
    %14 = stablehlo.multiply %11, %13 : tensor<2x4x8xf32>
    %15 = stablehlo.dot_general %arg3, %14, contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x8x2x4xf32>, tensor<2x4x8xf32>) -> tensor<3x2x4x2x4xf32>
    %16 = stablehlo.transpose %15, dims = [0, 3, 4, 1, 2] : (tensor<3x2x4x2x4xf32>) -> tensor<3x2x4x2x4xf32>
    %17 = stablehlo.slice %16 [0:1, 0:2, 0:4, 0:2, 0:4] : (tensor<3x2x4x2x4xf32>) -> tensor<1x2x4x2x4xf32>
    %18 = stablehlo.reshape %17 : (tensor<1x2x4x2x4xf32>) -> tensor<2x4x2x4xf32>
    %19 = stablehlo.slice %16 [1:2, 0:2, 0:4, 0:2, 0:4] : (tensor<3x2x4x2x4xf32>) -> tensor<1x2x4x2x4xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x2x4x2x4xf32>) -> tensor<2x4x2x4xf32>
    %21 = stablehlo.slice %16 [2:3, 0:2, 0:4, 0:2, 0:4] : (tensor<3x2x4x2x4xf32>) -> tensor<1x2x4x2x4xf32>
    %22 = stablehlo.reshape %21 : (tensor<1x2x4x2x4xf32>) -> tensor<2x4x2x4xf32>
    %23 = stablehlo.dot_general %18, %20, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>) -> tensor<2x2x4x4xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x2x4x4xf32>
    %25 = stablehlo.divide %23, %24 : tensor<2x2x4x4xf32>
    %26 = call @_where_4(%25, %arg0, %arg1) : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %27 = stablehlo.reduce(%26 init: %cst_3) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x4x4xf32>, tensor<f32>) -> tensor<2x2x4xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x2x4xf32>
    %29 = stablehlo.maximum %28, %27 : tensor<2x2x4xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<2x2x4xf32>) -> tensor<2x2x4x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<2x2x4x1xf32>) -> tensor<2x2x4x4xf32>
    %32 = stablehlo.subtract %26, %31 : tensor<2x2x4x4xf32>
    %33 = stablehlo.exponential %32 : tensor<2x2x4x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%33 init: %cst_5) applies stablehlo.add across dimensions = [3] : (tensor<2x2x4x4xf32>, tensor<f32>) -> tensor<2x2x4xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2] : (tensor<2x2x4xf32>) -> tensor<2x2x4x1xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 3] : (tensor<2x2x4x1xf32>) -> tensor<2x2x4x4xf32>
    %37 = stablehlo.divide %33, %36 : tensor<2x2x4x4xf32>
    %38 = stablehlo.dot_general %22, %37, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x4x2x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %39 = stablehlo.dot_general %38, %arg4, contracting_dims = [2, 1] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x4xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %40 = stablehlo.add %arg2, %39 : tensor<2x4x8xf32>
    %41 = stablehlo.slice %arg7 [1:2, 0:8] : (tensor<2x8xf32>) -> tensor<1x8xf32>
    %42 = stablehlo.reshape %41 : (tensor<1x8xf32>) -> tensor<8xf32>
    %43 = stablehlo.multiply %40, %40 : tensor<2x4x8xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.reduce(%43 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %cst_7 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %47 = stablehlo.divide %45, %46 : tensor<2x4x1xf32>
    %cst_8 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %49 = stablehlo.add %47, %48 : tensor<2x4x1xf32>
    %50 = stablehlo.rsqrt %49 : tensor<2x4x1xf32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
    %52 = stablehlo.multiply %40, %51 : tensor<2x4x8xf32>
    %53 = stablehlo.broadcast_in_dim %42, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x4x8xf32>
    %55 = stablehlo.multiply %52, %54 : tensor<2x4x8xf32>
    %56 = stablehlo.dot_general %55, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4x8xf32>, tensor<8x16xf32>) -> tensor<2x4x16xf32>
    %57 = stablehlo.multiply %56, %56 : tensor<2x4x16xf32>
    %58 = stablehlo.multiply %57, %56 : tensor<2x4x16xf32>
    %cst_9 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %60 = stablehlo.multiply %59, %58 : tensor<2x4x16xf32>
    %61 = stablehlo.add %56, %60 : tensor<2x4x16xf32>
    %cst_10 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %63 = stablehlo.multiply %62, %61 : tensor<2x4x16xf32>
    %64 = stablehlo.tanh %63 : tensor<2x4x16xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %66 = stablehlo.add %65, %64 : tensor<2x4x16xf32>
    %cst_12 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %68 = stablehlo.multiply %67, %66 : tensor<2x4x16xf32>
    %69 = stablehlo.multiply %56, %68 : tensor<2x4x16xf32>
    %70 = stablehlo.dot_general %69, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16xf32>, tensor<16x8xf32>) -> tensor<2x4x8xf32>
    %71 = stablehlo.add %40, %70 : tensor<2x4x8xf32>
    return %71, %arg2 : tensor<2x4x8xf32>, tensor<2x4x8xf32>
  }
  func.func private @_where_4(%arg0: tensor<2x2x4x4xf32>, %arg1: tensor<2x2x4x4xi1>, %arg2: tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32> {
    %0 = stablehlo.select %arg1, %arg0, %arg2 : tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>
    return %0 : tensor<2x2x4x4xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<3x2x4x8xf32>, %arg1: tensor<2x4x8xf32>, %arg2: tensor<i32>) -> tensor<3x2x4x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<2x4x8xf32>) -> tensor<1x2x4x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<3x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x2x4x8xf32>
    return %1 : tensor<3x2x4x8xf32>
  }
  func.func private @closed_call_5(%arg0: tensor<2x4x8xf32>, %arg1: tensor<2x4x8xf32>, %arg2: tensor<3x8x2x4xf32>, %arg3: tensor<2x4x8xf32>, %arg4: tensor<8x16xf32>, %arg5: tensor<16x8xf32>, %arg6: tensor<2x8xf32>) -> (tensor<2x4x8xf32>, tensor<3x8x2x4xf32>, tensor<2x4x8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<2x8xf32>) {
    %0:7 = stablehlo.optimization_barrier %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg0 : tensor<2x4x8xf32>, tensor<3x8x2x4xf32>, tensor<2x4x8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<2x8xf32>, tensor<2x4x8xf32>
    %1 = stablehlo.slice %0#5 [0:1, 0:8] : (tensor<2x8xf32>) -> tensor<1x8xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x8xf32>) -> tensor<8xf32>
    %3 = stablehlo.multiply %0#0, %0#0 : tensor<2x4x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %7 = stablehlo.divide %5, %6 : tensor<2x4x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %9 = stablehlo.add %7, %8 : tensor<2x4x1xf32>
    %10 = stablehlo.rsqrt %9 : tensor<2x4x1xf32>
    %11 = stablehlo.divide %10, %9 : tensor<2x4x1xf32>
    %cst_2 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %13 = stablehlo.multiply %12, %11 : tensor<2x4x1xf32>
    %14 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
    %15 = stablehlo.multiply %0#0, %14 : tensor<2x4x8xf32>
    %16 = stablehlo.broadcast_in_dim %2, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x4x8xf32>
    %18 = stablehlo.multiply %15, %17 : tensor<2x4x8xf32>
    %19 = stablehlo.dot_general %0#1, %18, contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x8x2x4xf32>, tensor<2x4x8xf32>) -> tensor<3x2x4x2x4xf32>
    %20 = stablehlo.transpose %19, dims = [0, 3, 4, 1, 2] : (tensor<3x2x4x2x4xf32>) -> tensor<3x2x4x2x4xf32>
    %21 = stablehlo.slice %20 [0:1, 0:2, 0:4, 0:2, 0:4] : (tensor<3x2x4x2x4xf32>) -> tensor<1x2x4x2x4xf32>
    %22 = stablehlo.reshape %21 : (tensor<1x2x4x2x4xf32>) -> tensor<2x4x2x4xf32>
    %23 = stablehlo.slice %20 [1:2, 0:2, 0:4, 0:2, 0:4] : (tensor<3x2x4x2x4xf32>) -> tensor<1x2x4x2x4xf32>
    %24 = stablehlo.reshape %23 : (tensor<1x2x4x2x4xf32>) -> tensor<2x4x2x4xf32>
    %25 = stablehlo.slice %20 [2:3, 0:2, 0:4, 0:2, 0:4] : (tensor<3x2x4x2x4xf32>) -> tensor<1x2x4x2x4xf32>
    %26 = stablehlo.reshape %25 : (tensor<1x2x4x2x4xf32>) -> tensor<2x4x2x4xf32>
    %27 = stablehlo.dot_general %22, %24, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>) -> tensor<2x2x4x4xf32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x2x4x4xf32>
    %29 = stablehlo.divide %27, %28 : tensor<2x2x4x4xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %30 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<4x4xi1>
    %31 = call @tril_6(%30) : (tensor<4x4xi1>) -> tensor<4x4xi1>
    %cst_4 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %32:3 = call @_where_7(%31, %29, %cst_4) : (tensor<4x4xi1>, tensor<2x2x4x4xf32>, tensor<f32>) -> (tensor<2x2x4x4xf32>, tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>)
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %33 = stablehlo.reduce(%32#0 init: %cst_5) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x4x4xf32>, tensor<f32>) -> tensor<2x2x4xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x2x4xf32>
    %35 = stablehlo.maximum %34, %33 : tensor<2x2x4xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2] : (tensor<2x2x4xf32>) -> tensor<2x2x4x1xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2, 3] : (tensor<2x2x4x1xf32>) -> tensor<2x2x4x4xf32>
    %38 = stablehlo.subtract %32#0, %37 : tensor<2x2x4x4xf32>
    %39 = stablehlo.exponential %38 : tensor<2x2x4x4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.reduce(%39 init: %cst_7) applies stablehlo.add across dimensions = [3] : (tensor<2x2x4x4xf32>, tensor<f32>) -> tensor<2x2x4xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2] : (tensor<2x2x4xf32>) -> tensor<2x2x4x1xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2, 3] : (tensor<2x2x4x1xf32>) -> tensor<2x2x4x4xf32>
    %43 = stablehlo.divide %39, %42 : tensor<2x2x4x4xf32>
    %44 = stablehlo.multiply %41, %41 : tensor<2x2x4x1xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x2x4x1xf32>
    %46 = stablehlo.divide %45, %44 : tensor<2x2x4x1xf32>
    %47 = stablehlo.dot_general %26, %43, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x4x2x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %48 = stablehlo.dot_general %47, %0#2, contracting_dims = [2, 1] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x4xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %49 = stablehlo.add %0#0, %48 : tensor<2x4x8xf32>
    %50 = stablehlo.slice %0#5 [1:2, 0:8] : (tensor<2x8xf32>) -> tensor<1x8xf32>
    %51 = stablehlo.reshape %50 : (tensor<1x8xf32>) -> tensor<8xf32>
    %52 = stablehlo.multiply %49, %49 : tensor<2x4x8xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.reduce(%52 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %cst_10 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %56 = stablehlo.divide %54, %55 : tensor<2x4x1xf32>
    %cst_11 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %58 = stablehlo.add %56, %57 : tensor<2x4x1xf32>
    %59 = stablehlo.rsqrt %58 : tensor<2x4x1xf32>
    %60 = stablehlo.divide %59, %58 : tensor<2x4x1xf32>
    %cst_12 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %62 = stablehlo.multiply %61, %60 : tensor<2x4x1xf32>
    %63 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
    %64 = stablehlo.multiply %49, %63 : tensor<2x4x8xf32>
    %65 = stablehlo.broadcast_in_dim %51, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %66 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x4x8xf32>
    %67 = stablehlo.multiply %64, %66 : tensor<2x4x8xf32>
    %68 = stablehlo.dot_general %67, %0#3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4x8xf32>, tensor<8x16xf32>) -> tensor<2x4x16xf32>
    %69 = stablehlo.multiply %68, %68 : tensor<2x4x16xf32>
    %70 = stablehlo.multiply %69, %68 : tensor<2x4x16xf32>
    %71 = stablehlo.multiply %68, %68 : tensor<2x4x16xf32>
    %cst_13 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %73 = stablehlo.multiply %72, %71 : tensor<2x4x16xf32>
    %cst_14 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %75 = stablehlo.multiply %74, %70 : tensor<2x4x16xf32>
    %76 = stablehlo.add %68, %75 : tensor<2x4x16xf32>
    %cst_15 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %78 = stablehlo.multiply %77, %76 : tensor<2x4x16xf32>
    %79 = stablehlo.tanh %78 : tensor<2x4x16xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %81 = stablehlo.subtract %80, %79 : tensor<2x4x16xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %83 = stablehlo.add %82, %79 : tensor<2x4x16xf32>
    %cst_18 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %85 = stablehlo.multiply %84, %83 : tensor<2x4x16xf32>
    %86 = stablehlo.multiply %68, %85 : tensor<2x4x16xf32>
    %87 = stablehlo.dot_general %0#6, %86, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x8xf32>, tensor<2x4x16xf32>) -> tensor<8x16xf32>
    %88 = stablehlo.transpose %87, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %89 = stablehlo.dot_general %0#6, %0#4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x8xf32>, tensor<16x8xf32>) -> tensor<2x4x16xf32>
    %90 = stablehlo.multiply %68, %89 : tensor<2x4x16xf32>
    %91 = stablehlo.multiply %89, %85 : tensor<2x4x16xf32>
    %cst_19 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %93 = stablehlo.multiply %92, %90 : tensor<2x4x16xf32>
    %94 = stablehlo.multiply %93, %81 : tensor<2x4x16xf32>
    %95 = stablehlo.multiply %94, %79 : tensor<2x4x16xf32>
    %96 = stablehlo.add %94, %95 : tensor<2x4x16xf32>
    %cst_20 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %98 = stablehlo.multiply %97, %96 : tensor<2x4x16xf32>
    %99 = stablehlo.add %91, %98 : tensor<2x4x16xf32>
    %cst_21 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %101 = stablehlo.multiply %100, %98 : tensor<2x4x16xf32>
    %102 = stablehlo.multiply %101, %73 : tensor<2x4x16xf32>
    %103 = stablehlo.add %99, %102 : tensor<2x4x16xf32>
    %104 = stablehlo.dot_general %103, %67, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16xf32>, tensor<2x4x8xf32>) -> tensor<16x8xf32>
    %105 = stablehlo.transpose %104, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %106 = stablehlo.dot_general %103, %0#3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16xf32>, tensor<8x16xf32>) -> tensor<2x4x8xf32>
    %107 = stablehlo.multiply %64, %106 : tensor<2x4x8xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %108 = stablehlo.reduce(%107 init: %cst_22) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %109 = stablehlo.reshape %108 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %110 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x4x8xf32>
    %111 = stablehlo.multiply %106, %110 : tensor<2x4x8xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %112 = stablehlo.reduce(%109 init: %cst_23) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %113 = stablehlo.multiply %49, %111 : tensor<2x4x8xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %114 = stablehlo.reduce(%113 init: %cst_24) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
    %115 = stablehlo.reshape %114 : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %116 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
    %117 = stablehlo.multiply %111, %116 : tensor<2x4x8xf32>
    %118 = stablehlo.add %0#6, %117 : tensor<2x4x8xf32>
    %119 = stablehlo.multiply %115, %62 : tensor<2x4x1xf32>
    %cst_25 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %121 = stablehlo.divide %119, %120 : tensor<2x4x1xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %122 = stablehlo.reduce(%121 init: %cst_26) applies stablehlo.add across dimensions = [2] : (tensor<2x4x1xf32>, tensor<f32>) -> tensor<2x4xf32>
    %123 = stablehlo.broadcast_in_dim %122, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x8xf32>
    %124 = stablehlo.multiply %49, %123 : tensor<2x4x8xf32>
    %125 = stablehlo.add %118, %124 : tensor<2x4x8xf32>
    %126 = stablehlo.multiply %123, %49 : tensor<2x4x8xf32>
    %127 = stablehlo.add %125, %126 : tensor<2x4x8xf32>
    %128 = stablehlo.broadcast_in_dim %112, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %129 = stablehlo.pad %128, %cst_27, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<2x8xf32>
    %130 = stablehlo.dot_general %127, %47, contracting_dims = [0, 1] x [0, 3], precision = [DEFAULT, DEFAULT] : (tensor<2x4x8xf32>, tensor<2x2x4x4xf32>) -> tensor<8x2x4xf32>
    %131 = stablehlo.transpose %130, dims = [1, 2, 0] : (tensor<8x2x4xf32>) -> tensor<2x4x8xf32>
    %132 = stablehlo.dot_general %127, %0#2, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x2x4xf32>
    %133 = stablehlo.transpose %132, dims = [0, 2, 3, 1] : (tensor<2x4x2x4xf32>) -> tensor<2x2x4x4xf32>
    %134 = stablehlo.dot_general %133, %26, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x4xf32>, tensor<2x4x2x4xf32>) -> tensor<2x2x4x4xf32>
    %135 = stablehlo.dot_general %133, %43, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %136 = stablehlo.transpose %135, dims = [0, 3, 1, 2] : (tensor<2x2x4x4xf32>) -> tensor<2x4x2x4xf32>
    %137 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3] : (tensor<2x2x4x1xf32>) -> tensor<2x2x4x4xf32>
    %138 = stablehlo.multiply %134, %137 : tensor<2x2x4x4xf32>
    %139 = stablehlo.multiply %138, %39 : tensor<2x2x4x4xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %140 = stablehlo.reduce(%139 init: %cst_28) applies stablehlo.add across dimensions = [3] : (tensor<2x2x4x4xf32>, tensor<f32>) -> tensor<2x2x4xf32>
    %141 = stablehlo.reshape %140 : (tensor<2x2x4xf32>) -> tensor<2x2x4x1xf32>
    %142 = stablehlo.negate %141 : tensor<2x2x4x1xf32>
    %143 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2, 3] : (tensor<2x2x4x1xf32>) -> tensor<2x2x4x4xf32>
    %144 = stablehlo.divide %134, %143 : tensor<2x2x4x4xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %145 = stablehlo.reduce(%142 init: %cst_29) applies stablehlo.add across dimensions = [3] : (tensor<2x2x4x1xf32>, tensor<f32>) -> tensor<2x2x4xf32>
    %146 = stablehlo.broadcast_in_dim %145, dims = [0, 1, 2] : (tensor<2x2x4xf32>) -> tensor<2x2x4x4xf32>
    %147 = stablehlo.add %144, %146 : tensor<2x2x4x4xf32>
    %148 = stablehlo.multiply %147, %39 : tensor<2x2x4x4xf32>
    %149 = call @_where_8(%32#1, %32#2, %148) : (tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %cst_30 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %150 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<2x2x4x4xf32>
    %151 = stablehlo.divide %149, %150 : tensor<2x2x4x4xf32>
    %152 = stablehlo.dot_general %151, %22, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x4xf32>, tensor<2x4x2x4xf32>) -> tensor<2x2x4x4xf32>
    %153 = stablehlo.transpose %152, dims = [0, 2, 1, 3] : (tensor<2x2x4x4xf32>) -> tensor<2x4x2x4xf32>
    %154 = stablehlo.dot_general %151, %24, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x4xf32>, tensor<2x4x2x4xf32>) -> tensor<2x2x4x4xf32>
    %155 = stablehlo.transpose %154, dims = [0, 2, 1, 3] : (tensor<2x2x4x4xf32>) -> tensor<2x4x2x4xf32>
    %156 = stablehlo.broadcast_in_dim %136, dims = [1, 2, 3, 4] : (tensor<2x4x2x4xf32>) -> tensor<1x2x4x2x4xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %157 = stablehlo.pad %156, %cst_31, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x4x2x4xf32>, tensor<f32>) -> tensor<3x2x4x2x4xf32>
    %158 = stablehlo.broadcast_in_dim %153, dims = [1, 2, 3, 4] : (tensor<2x4x2x4xf32>) -> tensor<1x2x4x2x4xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %159 = stablehlo.pad %158, %cst_32, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x4x2x4xf32>, tensor<f32>) -> tensor<3x2x4x2x4xf32>
    %160 = stablehlo.add %157, %159 : tensor<3x2x4x2x4xf32>
    %161 = stablehlo.broadcast_in_dim %155, dims = [1, 2, 3, 4] : (tensor<2x4x2x4xf32>) -> tensor<1x2x4x2x4xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %162 = stablehlo.pad %161, %cst_33, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x4x2x4xf32>, tensor<f32>) -> tensor<3x2x4x2x4xf32>
    %163 = stablehlo.add %160, %162 : tensor<3x2x4x2x4xf32>
    %164 = stablehlo.transpose %163, dims = [0, 3, 4, 1, 2] : (tensor<3x2x4x2x4xf32>) -> tensor<3x2x4x2x4xf32>
    %165 = stablehlo.dot_general %164, %0#1, contracting_dims = [0, 1, 2] x [0, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x4x2x4xf32>, tensor<3x8x2x4xf32>) -> tensor<2x4x8xf32>
    %166 = stablehlo.dot_general %164, %18, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x2x4x2x4xf32>, tensor<2x4x8xf32>) -> tensor<3x2x4x8xf32>
    %167 = stablehlo.transpose %166, dims = [0, 3, 1, 2] : (tensor<3x2x4x8xf32>) -> tensor<3x8x2x4xf32>
    %168 = stablehlo.multiply %15, %165 : tensor<2x4x8xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %169 = stablehlo.reduce(%168 init: %cst_34) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %170 = stablehlo.reshape %169 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %171 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x4x8xf32>
    %172 = stablehlo.multiply %165, %171 : tensor<2x4x8xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %173 = stablehlo.reduce(%170 init: %cst_35) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %174 = stablehlo.multiply %0#0, %172 : tensor<2x4x8xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %175 = stablehlo.reduce(%174 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
    %176 = stablehlo.reshape %175 : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %177 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
    %178 = stablehlo.multiply %172, %177 : tensor<2x4x8xf32>
    %179 = stablehlo.add %127, %178 : tensor<2x4x8xf32>
    %180 = stablehlo.multiply %176, %13 : tensor<2x4x1xf32>
    %cst_37 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %181 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %182 = stablehlo.divide %180, %181 : tensor<2x4x1xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %183 = stablehlo.reduce(%182 init: %cst_38) applies stablehlo.add across dimensions = [2] : (tensor<2x4x1xf32>, tensor<f32>) -> tensor<2x4xf32>
    %184 = stablehlo.broadcast_in_dim %183, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x8xf32>
    %185 = stablehlo.multiply %0#0, %184 : tensor<2x4x8xf32>
    %186 = stablehlo.add %179, %185 : tensor<2x4x8xf32>
    %187 = stablehlo.multiply %184, %0#0 : tensor<2x4x8xf32>
    %188 = stablehlo.add %186, %187 : tensor<2x4x8xf32>
    %189 = stablehlo.broadcast_in_dim %173, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %190 = stablehlo.pad %189, %cst_39, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<2x8xf32>
    %191 = stablehlo.add %129, %190 : tensor<2x8xf32>
    return %188, %167, %131, %105, %88, %191 : tensor<2x4x8xf32>, tensor<3x8x2x4xf32>, tensor<2x4x8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<2x8xf32>
  }
  func.func private @tril_6(%arg0: tensor<4x4xi1>) -> tensor<4x4xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %2 = stablehlo.add %0, %1 : tensor<4x4xi32>
    %3 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<4x4xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<4x4xi1>, tensor<4x4xi1>
    return %6 : tensor<4x4xi1>
  }
  func.func private @_where_7(%arg0: tensor<4x4xi1>, %arg1: tensor<2x2x4x4xf32>, %arg2: tensor<f32>) -> (tensor<2x2x4x4xf32>, tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<4x4xi1>) -> tensor<2x2x4x4xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x4x4xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x4x4xf32>
    return %3, %1, %4 : tensor<2x2x4x4xf32>, tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>
  }
  func.func private @_where_8(%arg0: tensor<2x2x4x4xi1>, %arg1: tensor<2x2x4x4xf32>, %arg2: tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x4x4xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>
    return %1 : tensor<2x2x4x4xf32>
  }
  func.func private @dynamic_update_index_in_dim_9(%arg0: tensor<3x3x8x2x4xf32>, %arg1: tensor<3x8x2x4xf32>, %arg2: tensor<i32>) -> tensor<3x3x8x2x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<3x8x2x4xf32>) -> tensor<1x3x8x2x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<3x3x8x2x4xf32>, tensor<1x3x8x2x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x3x8x2x4xf32>
    return %1 : tensor<3x3x8x2x4xf32>
  }
  func.func private @dynamic_update_index_in_dim_10(%arg0: tensor<3x8x16xf32>, %arg1: tensor<8x16xf32>, %arg2: tensor<i32>) -> tensor<3x8x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<8x16xf32>) -> tensor<1x8x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<3x8x16xf32>, tensor<1x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x16xf32>
    return %1 : tensor<3x8x16xf32>
  }
  func.func private @dynamic_update_index_in_dim_11(%arg0: tensor<3x16x8xf32>, %arg1: tensor<16x8xf32>, %arg2: tensor<i32>) -> tensor<3x16x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<16x8xf32>) -> tensor<1x16x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<3x16x8xf32>, tensor<1x16x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x16x8xf32>
    return %1 : tensor<3x16x8xf32>
  }
  func.func private @dynamic_update_index_in_dim_12(%arg0: tensor<3x2x8xf32>, %arg1: tensor<2x8xf32>, %arg2: tensor<i32>) -> tensor<3x2x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<2x8xf32>) -> tensor<1x2x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<3x2x8xf32>, tensor<1x2x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x2x8xf32>
    return %1 : tensor<3x2x8xf32>
  }
}
