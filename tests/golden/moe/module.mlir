module @jit_moe attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x6x4xf32>, %arg1: tensor<4x4xf32>, %arg2: tensor<4x4x8xf32>, %arg3: tensor<4x8x4xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<4x4xf32> {jax.result_info = "result[1][0]"}, tensor<4x4x8xf32> {jax.result_info = "result[1][1]"}, tensor<4x8x4xf32> {jax.result_info = "result[1][2]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x4xf32>, tensor<4x4xf32>) -> tensor<2x6x4xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    %2 = stablehlo.reshape %1 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    %4 = stablehlo.compare EQ, %0, %3, FLOAT : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xi1>
    %5 = stablehlo.convert %4 : (tensor<2x6x4xi1>) -> tensor<2x6x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %8 = stablehlo.maximum %7, %1 : tensor<2x6xf32>
    %9 = stablehlo.compare EQ, %1, %8, FLOAT : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xi1>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %12 = stablehlo.select %9, %10, %11 : tensor<2x6xi1>, tensor<2x6xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %14 = stablehlo.compare EQ, %13, %8, FLOAT : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xi1>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %17 = stablehlo.select %14, %15, %16 : tensor<2x6xi1>, tensor<2x6xf32>
    %18 = stablehlo.divide %12, %17 : tensor<2x6xf32>
    %19 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    %21 = stablehlo.subtract %0, %20 : tensor<2x6x4xf32>
    %22 = stablehlo.exponential %21 : tensor<2x6x4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.reduce(%22 init: %cst_7) applies stablehlo.add across dimensions = [2] : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    %26 = stablehlo.divide %22, %25 : tensor<2x6x4xf32>
    %27 = stablehlo.multiply %24, %24 : tensor<2x6x1xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %29 = stablehlo.divide %28, %27 : tensor<2x6x1xf32>
    %30 = call @argmax(%26) : (tensor<2x6x4xf32>) -> tensor<2x6xi32>
    %31 = call @_one_hot(%30) : (tensor<2x6xi32>) -> tensor<2x6x4xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x6x4xf32>
    %33 = stablehlo.subtract %32, %31 : tensor<2x6x4xf32>
    %34 = stablehlo.multiply %26, %33 : tensor<2x6x4xf32>
    %35 = call @argmax(%34) : (tensor<2x6x4xf32>) -> tensor<2x6xi32>
    %36 = call @_one_hot(%35) : (tensor<2x6xi32>) -> tensor<2x6x4xf32>
    %37 = call @cumsum(%31) : (tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %38 = stablehlo.multiply %37, %31 : tensor<2x6x4xf32>
    %39 = stablehlo.subtract %38, %31 : tensor<2x6x4xf32>
    %40 = call @cumsum(%36) : (tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %41 = stablehlo.subtract %40, %36 : tensor<2x6x4xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %42 = stablehlo.reduce(%31 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [0, 2] : (tensor<2x4xf32>) -> tensor<2x1x4xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2] : (tensor<2x1x4xf32>) -> tensor<2x6x4xf32>
    %45 = stablehlo.add %41, %44 : tensor<2x6x4xf32>
    %46 = stablehlo.multiply %45, %36 : tensor<2x6x4xf32>
    %cst_11 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x6x4xf32>
    %48 = stablehlo.compare LT, %39, %47, FLOAT : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xi1>
    %49 = stablehlo.convert %48 : (tensor<2x6x4xi1>) -> tensor<2x6x4xf32>
    %50 = stablehlo.multiply %31, %49 : tensor<2x6x4xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.reduce(%39 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    %52 = stablehlo.convert %51 : (tensor<2x6xf32>) -> tensor<2x6xi32>
    %53 = call @_one_hot(%52) : (tensor<2x6xi32>) -> tensor<2x6x4xf32>
    %54 = stablehlo.multiply %26, %50 : tensor<2x6x4xf32>
    %55 = stablehlo.dot_general %54, %53, batching_dims = [0, 1] x [0, 1], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4x4xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x6x4x4xf32>
    %57 = stablehlo.add %56, %55 : tensor<2x6x4x4xf32>
    %cst_14 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x6x4xf32>
    %59 = stablehlo.compare LT, %46, %58, FLOAT : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xi1>
    %60 = stablehlo.convert %59 : (tensor<2x6x4xi1>) -> tensor<2x6x4xf32>
    %61 = stablehlo.multiply %36, %60 : tensor<2x6x4xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.reduce(%46 init: %cst_15) applies stablehlo.add across dimensions = [2] : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    %63 = stablehlo.convert %62 : (tensor<2x6xf32>) -> tensor<2x6xi32>
    %64 = call @_one_hot(%63) : (tensor<2x6xi32>) -> tensor<2x6x4xf32>
    %65 = stablehlo.multiply %26, %61 : tensor<2x6x4xf32>
    %66 = stablehlo.dot_general %65, %64, batching_dims = [0, 1] x [0, 1], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4x4xf32>
    %67 = stablehlo.add %57, %66 : tensor<2x6x4x4xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x6x4x4xf32>
    %69 = stablehlo.compare GT, %67, %68, FLOAT : (tensor<2x6x4x4xf32>, tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xi1>
    %70 = stablehlo.convert %69 : (tensor<2x6x4x4xi1>) -> tensor<2x6x4x4xf32>
    %71 = stablehlo.dot_general %arg0, %70, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x4xf32>, tensor<2x6x4x4xf32>) -> tensor<2x4x4x4xf32>
    %72 = stablehlo.transpose %71, dims = [2, 0, 3, 1] : (tensor<2x4x4x4xf32>) -> tensor<4x2x4x4xf32>
    %73 = stablehlo.dot_general %72, %arg2, batching_dims = [0] x [0], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x4x4xf32>, tensor<4x4x8xf32>) -> tensor<4x2x4x8xf32>
    %74 = call @relu(%73) : (tensor<4x2x4x8xf32>) -> tensor<4x2x4x8xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4x2x4x8xf32>
    %76 = stablehlo.compare GT, %73, %75, FLOAT : (tensor<4x2x4x8xf32>, tensor<4x2x4x8xf32>) -> tensor<4x2x4x8xi1>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<4x2x4x8xf32>
    %78 = stablehlo.dot_general %74, %arg3, batching_dims = [0] x [0], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x4x8xf32>, tensor<4x8x4xf32>) -> tensor<4x2x4x4xf32>
    %79 = stablehlo.dot_general %67, %78, batching_dims = [0] x [1], contracting_dims = [3, 2] x [2, 0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x4x4xf32>, tensor<4x2x4x4xf32>) -> tensor<2x6x4xf32>
    %80 = stablehlo.multiply %79, %79 : tensor<2x6x4xf32>
    %cst_19 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x6x4xf32>
    %82 = stablehlo.multiply %81, %79 : tensor<2x6x4xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.reduce(%80 init: %cst_20) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_21 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %84 = stablehlo.divide %83, %cst_21 : tensor<f32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_23 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %85 = stablehlo.divide %cst_22, %cst_23 : tensor<f32>
    %86 = stablehlo.broadcast_in_dim %85, dims = [] : (tensor<f32>) -> tensor<2x6x4xf32>
    %87 = stablehlo.multiply %86, %82 : tensor<2x6x4xf32>
    %88 = stablehlo.dot_general %87, %67, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x4xf32>, tensor<2x6x4x4xf32>) -> tensor<2x4x4x4xf32>
    %89 = stablehlo.transpose %88, dims = [2, 0, 3, 1] : (tensor<2x4x4x4xf32>) -> tensor<4x2x4x4xf32>
    %90 = stablehlo.dot_general %87, %78, batching_dims = [0] x [1], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x6x4xf32>, tensor<4x2x4x4xf32>) -> tensor<2x6x4x4xf32>
    %91 = stablehlo.dot_general %89, %74, batching_dims = [0] x [0], contracting_dims = [1, 2] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x4x4xf32>, tensor<4x2x4x8xf32>) -> tensor<4x4x8xf32>
    %92 = stablehlo.transpose %91, dims = [0, 2, 1] : (tensor<4x4x8xf32>) -> tensor<4x8x4xf32>
    %93 = stablehlo.dot_general %89, %arg3, batching_dims = [0] x [0], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x4x4xf32>, tensor<4x8x4xf32>) -> tensor<4x2x4x8xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<4x2x4x8xf32>
    %95 = stablehlo.select %76, %93, %94 : tensor<4x2x4x8xi1>, tensor<4x2x4x8xf32>
    %96 = stablehlo.dot_general %95, %72, batching_dims = [0] x [0], contracting_dims = [1, 2] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x4x8xf32>, tensor<4x2x4x4xf32>) -> tensor<4x8x4xf32>
    %97 = stablehlo.transpose %96, dims = [0, 2, 1] : (tensor<4x8x4xf32>) -> tensor<4x4x8xf32>
    %98 = stablehlo.dot_general %90, %64, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x6x4x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %99 = stablehlo.multiply %98, %61 : tensor<2x6x4xf32>
    %100 = stablehlo.dot_general %90, %53, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x6x4x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %101 = stablehlo.multiply %100, %50 : tensor<2x6x4xf32>
    %102 = stablehlo.add %99, %101 : tensor<2x6x4xf32>
    %103 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    %104 = stablehlo.multiply %102, %103 : tensor<2x6x4xf32>
    %105 = stablehlo.multiply %104, %22 : tensor<2x6x4xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %106 = stablehlo.reduce(%105 init: %cst_25) applies stablehlo.add across dimensions = [2] : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    %107 = stablehlo.reshape %106 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %108 = stablehlo.negate %107 : tensor<2x6x1xf32>
    %109 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    %110 = stablehlo.divide %102, %109 : tensor<2x6x4xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %111 = stablehlo.reduce(%108 init: %cst_26) applies stablehlo.add across dimensions = [2] : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<2x6xf32>
    %112 = stablehlo.broadcast_in_dim %111, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x4xf32>
    %113 = stablehlo.add %110, %112 : tensor<2x6x4xf32>
    %114 = stablehlo.multiply %113, %22 : tensor<2x6x4xf32>
    %115 = stablehlo.dot_general %114, %arg0, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<4x4xf32>
    %116 = stablehlo.transpose %115, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %84, %116, %97, %92 : tensor<f32>, tensor<4x4xf32>, tensor<4x4x8xf32>, tensor<4x8x4xf32>
  }
  func.func private @argmax(%arg0: tensor<2x6x4xf32>) -> tensor<2x6xi32> {
    %0 = stablehlo.iota dim = 2 : tensor<2x6x4xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [2] : (tensor<2x6x4xf32>, tensor<2x6x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x6xf32>, tensor<2x6xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<2x6xi32>
  }
  func.func private @_one_hot(%arg0: tensor<2x6xi32>) -> tensor<2x6x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<2x6xi32>) -> tensor<2x6x1xi32>
    %1 = stablehlo.iota dim = 2 : tensor<1x1x4xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<2x6x1xi32>) -> tensor<2x6x4xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x4xi32>) -> tensor<2x6x4xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<2x6x4xi32>, tensor<2x6x4xi32>) -> tensor<2x6x4xi1>
    %5 = stablehlo.convert %4 : (tensor<2x6x4xi1>) -> tensor<2x6x4xf32>
    return %5 : tensor<2x6x4xf32>
  }
  func.func private @cumsum(%arg0: tensor<2x6x4xf32>) -> tensor<2x6x4xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    return %0 : tensor<2x6x4xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<2x6x4xf32>) -> tensor<2x6x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [5, 0], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 6, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6x4xf32>
    return %1 : tensor<2x6x4xf32>
  }
  func.func private @relu(%arg0: tensor<4x2x4x8xf32>) -> tensor<4x2x4x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x2x4x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x2x4x8xf32>
    return %1 : tensor<4x2x4x8xf32>
  }
}
