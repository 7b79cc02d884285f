module @jit_linear_algebra_batched attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x3xf32>, %arg1: tensor<2x3x3xf32>, %arg2: tensor<2x3x2xf32>) -> (tensor<2x3x3xf32> {jax.result_info = "result[0]"}, tensor<2x3x2xf32> {jax.result_info = "result[1]"}, tensor<2x3x3xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<2x3x3xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %3 = stablehlo.divide %1, %2 : tensor<2x3x3xf32>
    %4 = stablehlo.cholesky %3, lower = true : tensor<2x3x3xf32>
    %5 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %7 = stablehlo.add %5, %6 : tensor<3x3xi32>
    %8 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %9 = stablehlo.compare GE, %7, %8, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [1, 2] : (tensor<3x3xi1>) -> tensor<2x3x3xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %12 = stablehlo.select %10, %4, %11 : tensor<2x3x3xi1>, tensor<2x3x3xf32>
    %13 = "stablehlo.triangular_solve"(%arg1, %arg2) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x3x3xf32>, tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
    %14 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %15 = stablehlo.add %arg0, %14 : tensor<2x3x3xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %17 = stablehlo.divide %15, %16 : tensor<2x3x3xf32>
    %18 = stablehlo.cholesky %17, lower = true : tensor<2x3x3xf32>
    %19 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %20 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %21 = stablehlo.add %19, %20 : tensor<3x3xi32>
    %22 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %23 = stablehlo.compare GE, %21, %22, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %24 = stablehlo.broadcast_in_dim %23, dims = [1, 2] : (tensor<3x3xi1>) -> tensor<2x3x3xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %26 = stablehlo.select %24, %18, %25 : tensor<2x3x3xi1>, tensor<2x3x3xf32>
    %27 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %29 = stablehlo.add %27, %28 : tensor<3x3xi32>
    %30 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %31 = stablehlo.compare GE, %29, %30, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %32 = stablehlo.broadcast_in_dim %31, dims = [1, 2] : (tensor<3x3xi1>) -> tensor<2x3x3xi1>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %34 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %35 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %36 = stablehlo.add %34, %35 : tensor<3x3xi32>
    %37 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %38 = stablehlo.compare EQ, %36, %37, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %39 = stablehlo.convert %38 : (tensor<3x3xi1>) -> tensor<3x3xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %41 = stablehlo.add %40, %39 : tensor<3x3xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [1, 2] : (tensor<3x3xf32>) -> tensor<1x3x3xf32>
    %43 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %44 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %45 = stablehlo.add %43, %44 : tensor<3x3xi32>
    %46 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %47 = stablehlo.compare GE, %45, %46, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %48 = stablehlo.broadcast_in_dim %47, dims = [1, 2] : (tensor<3x3xi1>) -> tensor<2x3x3xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %50 = stablehlo.select %48, %26, %49 : tensor<2x3x3xi1>, tensor<2x3x3xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.reduce(%50 init: %cst_11) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<f32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %55 = stablehlo.select %48, %53, %54 : tensor<2x3x3xi1>, tensor<2x3x3xf32>
    %56 = stablehlo.dot_general %55, %26, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %57 = stablehlo.transpose %56, dims = [0, 2, 1] : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %58 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2] : (tensor<1x3x3xf32>) -> tensor<2x3x3xf32>
    %59 = stablehlo.divide %57, %58 : tensor<2x3x3xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %61 = stablehlo.select %32, %59, %60 : tensor<2x3x3xi1>, tensor<2x3x3xf32>
    %62 = "stablehlo.triangular_solve"(%26, %61) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %63 = "stablehlo.triangular_solve"(%26, %62) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %cst_15 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %65 = stablehlo.divide %63, %64 : tensor<2x3x3xf32>
    %66 = stablehlo.transpose %65, dims = [0, 2, 1] : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %67 = stablehlo.add %65, %66 : tensor<2x3x3xf32>
    return %12, %13, %67 : tensor<2x3x3xf32>, tensor<2x3x2xf32>, tensor<2x3x3xf32>
  }
}
