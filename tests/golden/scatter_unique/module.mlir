module @jit_scatter_unique attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x6xf32>, %arg1: tensor<3x2xf32>) -> (tensor<5x6xf32> {jax.result_info = "result[0]"}, tensor<5x6xf32> {jax.result_info = "result[1]"}, tensor<5x6xf32> {jax.result_info = "result[2]"}, tensor<5x6xf32> {jax.result_info = "result[3]"}, tensor<5x6xf32> {jax.result_info = "result[4]"}) {
    %c = stablehlo.constant dense<[0, 2, 4]> : tensor<3xi32>
    %c_0 = stablehlo.constant dense<[3, 5]> : tensor<2xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %1 = stablehlo.compare LT, %c, %0, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_2 = stablehlo.constant dense<5> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %3 = stablehlo.add %c, %2 : tensor<3xi32>
    %4 = stablehlo.select %1, %3, %c : tensor<3xi1>, tensor<3xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3x1xi32>
    %7 = stablehlo.concatenate %5, %6, dim = 1 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
    %8 = "stablehlo.scatter"(%arg0, %7, %arg1) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      stablehlo.return %arg3 : tensor<f32>
    }) : (tensor<5x6xf32>, tensor<3x2xi32>, tensor<3x2xf32>) -> tensor<5x6xf32>
    %9 = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<3x1xi32>
    %11 = stablehlo.compare LT, %9, %10, SIGNED : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x1xi1>
    %c_5 = stablehlo.constant dense<5> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<3x1xi32>
    %13 = stablehlo.add %9, %12 : tensor<3x1xi32>
    %14 = stablehlo.select %11, %13, %9 : tensor<3x1xi1>, tensor<3x1xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %16 = stablehlo.compare LT, %c_0, %15, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_7 = stablehlo.constant dense<6> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %18 = stablehlo.add %c_0, %17 : tensor<2xi32>
    %19 = stablehlo.select %16, %18, %c_0 : tensor<2xi1>, tensor<2xi32>
    %20 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<3x1xi32>) -> tensor<3x2xi32>
    %21 = stablehlo.broadcast_in_dim %19, dims = [1] : (tensor<2xi32>) -> tensor<3x2xi32>
    %22 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<3x2xi32>) -> tensor<3x2x1xi32>
    %23 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<3x2xi32>) -> tensor<3x2x1xi32>
    %24 = stablehlo.concatenate %22, %23, dim = 2 : (tensor<3x2x1xi32>, tensor<3x2x1xi32>) -> tensor<3x2x2xi32>
    %25 = "stablehlo.scatter"(%arg0, %24, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %42 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %42 : tensor<f32>
    }) : (tensor<5x6xf32>, tensor<3x2x2xi32>, tensor<3x2xf32>) -> tensor<5x6xf32>
    %26 = stablehlo.iota dim = 0 : tensor<2xi32>
    %c_8 = stablehlo.constant dense<3> : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %28 = stablehlo.multiply %27, %26 : tensor<2xi32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %29 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %30 = stablehlo.add %29, %28 : tensor<2xi32>
    %c_10 = stablehlo.constant dense<1> : tensor<i32>
    %31 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
    %32 = stablehlo.broadcast_in_dim %30, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %33 = stablehlo.concatenate %31, %32, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
    %34 = "stablehlo.scatter"(%arg0, %33, %arg1) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      stablehlo.return %arg3 : tensor<f32>
    }) : (tensor<5x6xf32>, tensor<2x2xi32>, tensor<3x2xf32>) -> tensor<5x6xf32>
    %c_11 = stablehlo.constant dense<2> : tensor<i32>
    %35 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %37 = "stablehlo.scatter"(%arg0, %35, %36) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      stablehlo.return %arg3 : tensor<f32>
    }) : (tensor<5x6xf32>, tensor<1xi32>, tensor<6xf32>) -> tensor<5x6xf32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %38 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %39 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %40 = stablehlo.concatenate %38, %39, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %cst_14 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %41 = "stablehlo.scatter"(%arg0, %40, %cst_14) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>, unique_indices = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %42 = stablehlo.multiply %arg2, %arg3 : tensor<f32>
      stablehlo.return %42 : tensor<f32>
    }) : (tensor<5x6xf32>, tensor<2xi32>, tensor<f32>) -> tensor<5x6xf32>
    return %8, %25, %34, %37, %41 : tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>
  }
}
