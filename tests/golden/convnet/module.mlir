module @jit_convnet attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x6x6x3xf32>, %arg1: tensor<3x3x3x4xf32>, %arg2: tensor<2x4xf32>, %arg3: tensor<36x3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3x3x3x4xf32> {jax.result_info = "result[1][0]"}, tensor<2x4xf32> {jax.result_info = "result[1][1]"}, tensor<36x3xf32> {jax.result_info = "result[1][2]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x6x6x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x6x6x4xf32>
    %1:7 = call @standardize(%0) : (tensor<2x6x6x4xf32>) -> (tensor<2x6x6x4xf32>, tensor<2x6x6x4xf32>, tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>, tensor<2x6x6x4xf32>)
    %2 = stablehlo.slice %arg2 [0:1, 0:4] : (tensor<2x4xf32>) -> tensor<1x4xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x4xf32>) -> tensor<4xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x6x6x4xf32>
    %6 = stablehlo.multiply %1#0, %5 : tensor<2x6x6x4xf32>
    %7 = stablehlo.slice %arg2 [1:2, 0:4] : (tensor<2x4xf32>) -> tensor<1x4xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x4xf32>) -> tensor<4xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x6x6x4xf32>
    %11 = stablehlo.add %6, %10 : tensor<2x6x6x4xf32>
    %12 = call @relu(%11) : (tensor<2x6x6x4xf32>) -> tensor<2x6x6x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6x6x4xf32>
    %14 = stablehlo.compare GT, %11, %13, FLOAT : (tensor<2x6x6x4xf32>, tensor<2x6x6x4xf32>) -> tensor<2x6x6x4xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x6x6x4xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<f32>
    %17 = "stablehlo.reduce_window"(%12, %16) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %90 = stablehlo.maximum %arg4, %arg5 : tensor<f32>
      stablehlo.return %90 : tensor<f32>
    }) : (tensor<2x6x6x4xf32>, tensor<f32>) -> tensor<2x3x3x4xf32>
    %18 = stablehlo.reshape %17 : (tensor<2x3x3x4xf32>) -> tensor<2x36xf32>
    %19 = stablehlo.dot_general %18, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x36xf32>, tensor<36x3xf32>) -> tensor<2x3xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %21 = stablehlo.reshape %20 : (tensor<2xf32>) -> tensor<2x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
    %23 = stablehlo.compare EQ, %19, %22, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %24 = stablehlo.convert %23 : (tensor<2x3xi1>) -> tensor<2x3xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%24 init: %cst_3) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %27 = stablehlo.maximum %26, %20 : tensor<2xf32>
    %28 = stablehlo.compare EQ, %20, %27, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %31 = stablehlo.select %28, %29, %30 : tensor<2xi1>, tensor<2xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %33 = stablehlo.compare EQ, %32, %27, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %cst_8 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %36 = stablehlo.select %33, %34, %35 : tensor<2xi1>, tensor<2xf32>
    %37 = stablehlo.divide %31, %36 : tensor<2xf32>
    %38 = stablehlo.is_finite %27 : (tensor<2xf32>) -> tensor<2xi1>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %40 = stablehlo.select %38, %27, %39 : tensor<2xi1>, tensor<2xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %42 = stablehlo.broadcast_in_dim %40, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
    %44 = stablehlo.subtract %19, %43 : tensor<2x3xf32>
    %45 = stablehlo.exponential %44 : tensor<2x3xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.reduce(%45 init: %cst_12) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %47 = stablehlo.sign %46 : tensor<2xf32>
    %48 = stablehlo.abs %46 : tensor<2xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %50 = stablehlo.compare GE, %46, %49, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %51 = stablehlo.log %48 : tensor<2xf32>
    %52 = stablehlo.add %51, %40 : tensor<2xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.reduce(%52 init: %cst_14) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %cst_15 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %54 = stablehlo.divide %53, %cst_15 : tensor<f32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_17 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %55 = stablehlo.divide %cst_16, %cst_17 : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %57 = stablehlo.divide %56, %48 : tensor<2xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %59 = stablehlo.select %50, %58, %57 : tensor<2xi1>, tensor<2xf32>
    %60 = stablehlo.select %50, %57, %58 : tensor<2xi1>, tensor<2xf32>
    %61 = stablehlo.negate %59 : tensor<2xf32>
    %62 = stablehlo.add %60, %61 : tensor<2xf32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
    %64 = stablehlo.multiply %63, %45 : tensor<2x3xf32>
    %65 = stablehlo.dot_general %64, %18, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x3xf32>, tensor<2x36xf32>) -> tensor<3x36xf32>
    %66 = stablehlo.transpose %65, dims = [1, 0] : (tensor<3x36xf32>) -> tensor<36x3xf32>
    %67 = stablehlo.dot_general %64, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3xf32>, tensor<36x3xf32>) -> tensor<2x36xf32>
    %68 = stablehlo.reshape %67 : (tensor<2x36xf32>) -> tensor<2x3x3x4xf32>
    %cst_19 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %69 = stablehlo.pad %12, %cst_19, low = [0, 0, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<2x6x6x4xf32>, tensor<f32>) -> tensor<2x6x6x4xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = "stablehlo.select_and_scatter"(%69, %68, %cst_20) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %90 = stablehlo.compare GE, %arg4, %arg5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %90 : tensor<i1>
    }, {
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %90 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %90 : tensor<f32>
    }) : (tensor<2x6x6x4xf32>, tensor<2x3x3x4xf32>, tensor<f32>) -> tensor<2x6x6x4xf32>
    %71 = stablehlo.slice %70 [0:2, 0:6, 0:6, 0:4] : (tensor<2x6x6x4xf32>) -> tensor<2x6x6x4xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x6x6x4xf32>
    %73 = stablehlo.select %14, %71, %72 : tensor<2x6x6x4xi1>, tensor<2x6x6x4xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.reduce(%73 init: %cst_22) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x6x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    %75 = stablehlo.reshape %74 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.reduce(%75 init: %cst_23) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %77 = stablehlo.broadcast_in_dim %76, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %78 = stablehlo.pad %77, %cst_24, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<1x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    %79 = stablehlo.multiply %1#0, %73 : tensor<2x6x6x4xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %80 = stablehlo.reduce(%79 init: %cst_25) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x6x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    %81 = stablehlo.reshape %80 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %82 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x6x6x4xf32>
    %83 = stablehlo.multiply %73, %82 : tensor<2x6x6x4xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.reduce(%81 init: %cst_26) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %85 = stablehlo.broadcast_in_dim %84, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %86 = stablehlo.pad %85, %cst_27, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<1x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    %87 = stablehlo.add %78, %86 : tensor<2x4xf32>
    %88 = call @standardize_0(%1#1, %1#2, %1#3, %1#4, %1#5, %1#6, %83) : (tensor<2x6x6x4xf32>, tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>, tensor<2x6x6x4xf32>, tensor<2x6x6x4xf32>) -> tensor<2x6x6x4xf32>
    %89 = stablehlo.convolution(%arg0, %88) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x6x6x3xf32>, tensor<2x6x6x4xf32>) -> tensor<3x3x3x4xf32>
    return %54, %89, %87, %66 : tensor<f32>, tensor<3x3x3x4xf32>, tensor<2x4xf32>, tensor<36x3xf32>
  }
  func.func private @standardize(%arg0: tensor<2x6x6x4xf32>) -> (tensor<2x6x6x4xf32>, tensor<2x6x6x4xf32>, tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>, tensor<2x6x6x4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x6x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %cst_0 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x1x1x4xf32>
    %3 = stablehlo.divide %1, %2 : tensor<1x1x1x4xf32>
    %4 = chlo.square %arg0 : tensor<2x6x6x4xf32> -> tensor<2x6x6x4xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x6x6x4xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<2x6x6x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x6x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %cst_3 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1x1x1x4xf32>
    %10 = stablehlo.divide %8, %9 : tensor<1x1x1x4xf32>
    %11 = chlo.square %3 : tensor<1x1x1x4xf32> -> tensor<1x1x1x4xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1x1x1x4xf32>
    %13 = stablehlo.multiply %12, %3 : tensor<1x1x1x4xf32>
    %14 = stablehlo.subtract %10, %11 : tensor<1x1x1x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %15:2 = call @clip(%14, %c) : (tensor<1x1x1x4xf32>, tensor<i32>) -> (tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>)
    %16 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x6x6x4xf32>
    %17 = stablehlo.subtract %arg0, %16 : tensor<2x6x6x4xf32>
    %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<1x1x1x4xf32>
    %19 = stablehlo.add %15#0, %18 : tensor<1x1x1x4xf32>
    %20 = stablehlo.rsqrt %19 : tensor<1x1x1x4xf32>
    %21 = stablehlo.divide %20, %19 : tensor<1x1x1x4xf32>
    %cst_6 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<1x1x1x4xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<1x1x1x4xf32>
    %24 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x6x6x4xf32>
    %25 = stablehlo.multiply %17, %24 : tensor<2x6x6x4xf32>
    return %25, %6, %13, %15#1, %23, %20, %17 : tensor<2x6x6x4xf32>, tensor<2x6x6x4xf32>, tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>, tensor<2x6x6x4xf32>
  }
  func.func private @clip(%arg0: tensor<1x1x1x4xf32>, %arg1: tensor<i32>) -> (tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>) {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1x1x4xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<1x1x1x4xf32>
    %3 = stablehlo.compare EQ, %arg0, %2, FLOAT : (tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xi1>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x1x1x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x1x1x4xf32>
    %6 = stablehlo.select %3, %4, %5 : tensor<1x1x1x4xi1>, tensor<1x1x1x4xf32>
    %7 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1x1x4xf32>
    %8 = stablehlo.compare EQ, %7, %2, FLOAT : (tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xi1>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1x1x1x4xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1x1x1x4xf32>
    %11 = stablehlo.select %8, %9, %10 : tensor<1x1x1x4xi1>, tensor<1x1x1x4xf32>
    %12 = stablehlo.divide %6, %11 : tensor<1x1x1x4xf32>
    return %2, %12 : tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>
  }
  func.func private @relu(%arg0: tensor<2x6x6x4xf32>) -> tensor<2x6x6x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6x6x4xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x6x6x4xf32>
    return %1 : tensor<2x6x6x4xf32>
  }
  func.func private @standardize_0(%arg0: tensor<2x6x6x4xf32>, %arg1: tensor<1x1x1x4xf32>, %arg2: tensor<1x1x1x4xf32>, %arg3: tensor<1x1x1x4xf32>, %arg4: tensor<1x1x1x4xf32>, %arg5: tensor<2x6x6x4xf32>, %arg6: tensor<2x6x6x4xf32>) -> tensor<2x6x6x4xf32> {
    %0 = stablehlo.multiply %arg5, %arg6 : tensor<2x6x6x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x6x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.reshape %1 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %3 = stablehlo.broadcast_in_dim %arg4, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x6x6x4xf32>
    %4 = stablehlo.multiply %arg6, %3 : tensor<2x6x6x4xf32>
    %5 = stablehlo.multiply %2, %arg3 : tensor<1x1x1x4xf32>
    %6 = stablehlo.negate %4 : tensor<2x6x6x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x6x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.reshape %7 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %9 = call @clip_1(%arg2, %5) : (tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>
    %10 = stablehlo.negate %9 : tensor<1x1x1x4xf32>
    %11 = stablehlo.multiply %10, %arg1 : tensor<1x1x1x4xf32>
    %12 = stablehlo.add %8, %11 : tensor<1x1x1x4xf32>
    %cst_1 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1x1x1x4xf32>
    %14 = stablehlo.divide %9, %13 : tensor<1x1x1x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_2) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [3] : (tensor<4xf32>) -> tensor<2x6x6x4xf32>
    %17 = stablehlo.multiply %16, %arg0 : tensor<2x6x6x4xf32>
    %18 = stablehlo.add %4, %17 : tensor<2x6x6x4xf32>
    %cst_3 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1x1x1x4xf32>
    %20 = stablehlo.divide %12, %19 : tensor<1x1x1x4xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%20 init: %cst_4) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [3] : (tensor<4xf32>) -> tensor<2x6x6x4xf32>
    %23 = stablehlo.add %18, %22 : tensor<2x6x6x4xf32>
    return %23 : tensor<2x6x6x4xf32>
  }
  func.func private @clip_1(%arg0: tensor<1x1x1x4xf32>, %arg1: tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<1x1x1x4xf32>
    return %0 : tensor<1x1x1x4xf32>
  }
}
