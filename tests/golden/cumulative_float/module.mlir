module @jit_cumulative_float attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x6xf32>) -> (tensor<3x6xf32> {jax.result_info = "result[0]"}, tensor<3x6xf32> {jax.result_info = "result[1]"}, tensor<3x6xf32> {jax.result_info = "result[2]"}, tensor<3x6xf32> {jax.result_info = "result[3]"}) {
    %0 = call @cumlogsumexp(%arg0) : (tensor<3x6xf32>) -> tensor<3x6xf32>
    %1 = call @cumsum(%arg0) : (tensor<3x6xf32>) -> tensor<3x6xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<3x6xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x6xf32>
    %4 = stablehlo.multiply %3, %1 : tensor<3x6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x6xf32>
    %7 = stablehlo.multiply %6, %4 : tensor<3x6xf32>
    %8 = call @cumsum_1(%7) : (tensor<3x6xf32>) -> tensor<3x6xf32>
    %9:13 = call @cumprod(%arg0) : (tensor<3x6xf32>) -> (tensor<3x6xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<f32>, tensor<f32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<f32>, tensor<f32>)
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9#0 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x6xf32>
    %12 = call @cumprod_3(%9#1, %9#2, %9#3, %9#4, %9#5, %9#6, %9#7, %9#8, %9#9, %9#10, %9#11, %9#12, %11) : (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<f32>, tensor<f32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<f32>, tensor<f32>, tensor<3x6xf32>) -> tensor<3x6xf32>
    %13 = stablehlo.slice %arg0 [0:3, 0:5:2] : (tensor<3x6xf32>) -> tensor<3x3xf32>
    %14 = stablehlo.slice %arg0 [0:3, 1:6:2] : (tensor<3x6xf32>) -> tensor<3x3xf32>
    %15 = stablehlo.multiply %13, %14 : tensor<3x3xf32>
    %16 = stablehlo.slice %15 [0:3, 0:2:2] : (tensor<3x3xf32>) -> tensor<3x1xf32>
    %17 = stablehlo.slice %15 [0:3, 1:3:2] : (tensor<3x3xf32>) -> tensor<3x1xf32>
    %18 = stablehlo.multiply %16, %17 : tensor<3x1xf32>
    %19 = stablehlo.slice %15 [0:3, 2:3:2] : (tensor<3x3xf32>) -> tensor<3x1xf32>
    %20 = stablehlo.multiply %18, %19 : tensor<3x1xf32>
    %21 = stablehlo.slice %15 [0:3, 0:1] : (tensor<3x3xf32>) -> tensor<3x1xf32>
    %22 = stablehlo.concatenate %21, %20, dim = 1 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.pad %22, %cst_4, low = [0, 0], high = [0, 0], interior = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x3xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.pad %18, %cst_5, low = [0, 1], high = [0, 1], interior = [0, 1] : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x3xf32>
    %25 = stablehlo.add %23, %24 : tensor<3x3xf32>
    %26 = stablehlo.slice %25 [0:3, 0:2] : (tensor<3x3xf32>) -> tensor<3x2xf32>
    %27 = stablehlo.slice %arg0 [0:3, 2:6:2] : (tensor<3x6xf32>) -> tensor<3x2xf32>
    %28 = stablehlo.multiply %26, %27 : tensor<3x2xf32>
    %29 = stablehlo.slice %arg0 [0:3, 0:1] : (tensor<3x6xf32>) -> tensor<3x1xf32>
    %30 = stablehlo.concatenate %29, %28, dim = 1 : (tensor<3x1xf32>, tensor<3x2xf32>) -> tensor<3x3xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.pad %30, %cst_6, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3x6xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.pad %25, %cst_7, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3x6xf32>
    %33 = stablehlo.add %31, %32 : tensor<3x6xf32>
    return %0, %8, %12, %33 : tensor<3x6xf32>, tensor<3x6xf32>, tensor<3x6xf32>, tensor<3x6xf32>
  }
  func.func private @cumlogsumexp(%arg0: tensor<3x6xf32>) -> tensor<3x6xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [5, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 6>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      %2 = stablehlo.subtract %arg1, %arg2 : tensor<f32>
      %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.add %arg1, %arg2 : tensor<f32>
      %5 = stablehlo.abs %2 : tensor<f32>
      %6 = stablehlo.negate %5 : tensor<f32>
      %7 = stablehlo.exponential %6 : tensor<f32>
      %8 = stablehlo.log_plus_one %7 : tensor<f32>
      %9 = stablehlo.add %1, %8 : tensor<f32>
      %10 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }) : (tensor<3x6xf32>, tensor<f32>) -> tensor<3x6xf32>
    return %0 : tensor<3x6xf32>
  }
  func.func private @cumsum(%arg0: tensor<3x6xf32>) -> tensor<3x6xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<3x6xf32>) -> tensor<3x6xf32>
    return %0 : tensor<3x6xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<3x6xf32>) -> tensor<3x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [5, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 6>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<3x6xf32>, tensor<f32>) -> tensor<3x6xf32>
    return %1 : tensor<3x6xf32>
  }
  func.func private @cumsum_1(%arg0: tensor<3x6xf32>) -> tensor<3x6xf32> {
    %0 = call @cumsum_2(%arg0) : (tensor<3x6xf32>) -> tensor<3x6xf32>
    return %0 : tensor<3x6xf32>
  }
  func.func private @cumsum_2(%arg0: tensor<3x6xf32>) -> tensor<3x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 5]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 6>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<3x6xf32>, tensor<f32>) -> tensor<3x6xf32>
    return %1 : tensor<3x6xf32>
  }
  func.func private @cumprod(%arg0: tensor<3x6xf32>) -> (tensor<3x6xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<f32>, tensor<f32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<f32>, tensor<f32>) {
    %0 = stablehlo.slice %arg0 [0:3, 0:5:2] : (tensor<3x6xf32>) -> tensor<3x3xf32>
    %1 = stablehlo.slice %arg0 [0:3, 1:6:2] : (tensor<3x6xf32>) -> tensor<3x3xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<3x3xf32>
    %3 = stablehlo.slice %2 [0:3, 0:2:2] : (tensor<3x3xf32>) -> tensor<3x1xf32>
    %4 = stablehlo.slice %2 [0:3, 1:3:2] : (tensor<3x3xf32>) -> tensor<3x1xf32>
    %5 = stablehlo.multiply %3, %4 : tensor<3x1xf32>
    %6 = stablehlo.slice %2 [0:3, 2:3:2] : (tensor<3x3xf32>) -> tensor<3x1xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<3x1xf32>
    %8 = stablehlo.slice %2 [0:3, 0:1] : (tensor<3x3xf32>) -> tensor<3x1xf32>
    %9 = stablehlo.concatenate %8, %7, dim = 1 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.pad %9, %cst, low = [0, 0], high = [0, 0], interior = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.pad %5, %cst_0, low = [0, 1], high = [0, 1], interior = [0, 1] : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x3xf32>
    %12 = stablehlo.add %10, %11 : tensor<3x3xf32>
    %13 = stablehlo.slice %12 [0:3, 0:2] : (tensor<3x3xf32>) -> tensor<3x2xf32>
    %14 = stablehlo.slice %arg0 [0:3, 2:6:2] : (tensor<3x6xf32>) -> tensor<3x2xf32>
    %15 = stablehlo.multiply %13, %14 : tensor<3x2xf32>
    %16 = stablehlo.slice %arg0 [0:3, 0:1] : (tensor<3x6xf32>) -> tensor<3x1xf32>
    %17 = stablehlo.concatenate %16, %15, dim = 1 : (tensor<3x1xf32>, tensor<3x2xf32>) -> tensor<3x3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.pad %17, %cst_1, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3x6xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.pad %12, %cst_2, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3x6xf32>
    %20 = stablehlo.add %18, %19 : tensor<3x6xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    return %20, %1, %0, %4, %3, %6, %5, %cst_3, %cst_4, %14, %13, %cst_5, %cst_6 : tensor<3x6xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<f32>, tensor<f32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<f32>, tensor<f32>
  }
  func.func private @cumprod_3(%arg0: tensor<3x3xf32>, %arg1: tensor<3x3xf32>, %arg2: tensor<3x1xf32>, %arg3: tensor<3x1xf32>, %arg4: tensor<3x1xf32>, %arg5: tensor<3x1xf32>, %arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<3x2xf32>, %arg9: tensor<3x2xf32>, %arg10: tensor<f32>, %arg11: tensor<f32>, %arg12: tensor<3x6xf32>) -> tensor<3x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg12, %cst, low = [0, -1], high = [0, 0], interior = [0, 0] : (tensor<3x6xf32>, tensor<f32>) -> tensor<3x5xf32>
    %1 = stablehlo.slice %0 [0:3, 0:5:2] : (tensor<3x5xf32>) -> tensor<3x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.pad %arg12, %cst_0, low = [0, 0], high = [0, -1], interior = [0, 0] : (tensor<3x6xf32>, tensor<f32>) -> tensor<3x5xf32>
    %3 = stablehlo.slice %2 [0:3, 0:5:2] : (tensor<3x5xf32>) -> tensor<3x3xf32>
    %4 = stablehlo.slice %3 [0:3, 0:1] : (tensor<3x3xf32>) -> tensor<3x1xf32>
    %5 = stablehlo.slice %3 [0:3, 1:3] : (tensor<3x3xf32>) -> tensor<3x2xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.pad %4, %cst_1, low = [0, 0], high = [0, 5], interior = [0, 0] : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x6xf32>
    %7 = stablehlo.multiply %arg9, %5 : tensor<3x2xf32>
    %8 = stablehlo.multiply %5, %arg8 : tensor<3x2xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.pad %7, %cst_2, low = [0, 2], high = [0, 1], interior = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x6xf32>
    %10 = stablehlo.add %6, %9 : tensor<3x6xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.pad %8, %cst_3, low = [0, 0], high = [0, 1], interior = [0, 0] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x3xf32>
    %12 = stablehlo.add %1, %11 : tensor<3x3xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.pad %12, %cst_4, low = [0, -1], high = [0, -1], interior = [0, 0] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3x1xf32>
    %14 = stablehlo.slice %13 [0:3, 0:1:2] : (tensor<3x1xf32>) -> tensor<3x1xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.pad %12, %cst_5, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3x3xf32>
    %16 = stablehlo.slice %15 [0:3, 0:3:2] : (tensor<3x3xf32>) -> tensor<3x2xf32>
    %17 = stablehlo.slice %16 [0:3, 0:1] : (tensor<3x2xf32>) -> tensor<3x1xf32>
    %18 = stablehlo.slice %16 [0:3, 1:2] : (tensor<3x2xf32>) -> tensor<3x1xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.pad %17, %cst_6, low = [0, 0], high = [0, 2], interior = [0, 0] : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x3xf32>
    %20 = stablehlo.multiply %arg5, %18 : tensor<3x1xf32>
    %21 = stablehlo.multiply %18, %arg4 : tensor<3x1xf32>
    %22 = stablehlo.add %14, %21 : tensor<3x1xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.pad %20, %cst_7, low = [0, 2], high = [0, 0], interior = [0, 1] : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x3xf32>
    %24 = stablehlo.add %19, %23 : tensor<3x3xf32>
    %25 = stablehlo.multiply %arg3, %22 : tensor<3x1xf32>
    %26 = stablehlo.multiply %22, %arg2 : tensor<3x1xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.pad %25, %cst_8, low = [0, 1], high = [0, 1], interior = [0, 1] : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x3xf32>
    %28 = stablehlo.add %24, %27 : tensor<3x3xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.pad %26, %cst_9, low = [0, 0], high = [0, 2], interior = [0, 1] : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x3xf32>
    %30 = stablehlo.add %28, %29 : tensor<3x3xf32>
    %31 = stablehlo.multiply %arg1, %30 : tensor<3x3xf32>
    %32 = stablehlo.multiply %30, %arg0 : tensor<3x3xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.pad %31, %cst_10, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3x6xf32>
    %34 = stablehlo.add %10, %33 : tensor<3x6xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.pad %32, %cst_11, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3x6xf32>
    %36 = stablehlo.add %34, %35 : tensor<3x6xf32>
    return %36 : tensor<3x6xf32>
  }
}
