module @jit_scatters attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x5xf64>, %arg1: tensor<8xi32>, %arg2: tensor<8x5xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<[3, 0, 5]> : tensor<3xi64>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %c_1 = stablehlo.constant dense<6> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<8xi1>, tensor<8xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %6 = "stablehlo.scatter"(%arg0, %5, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %49 = stablehlo.add %arg3, %arg4 : tensor<f64>
      stablehlo.return %49 : tensor<f64>
    }) : (tensor<6x5xf64>, tensor<8x1xi32>, tensor<8x5xf64>) -> tensor<6x5xf64>
    %7 = stablehlo.multiply %6, %6 : tensor<6x5xf64>
    %8 = stablehlo.multiply %7, %6 : tensor<6x5xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %9 = stablehlo.reduce(%8 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x5xf64>, tensor<f64>) -> tensor<f64>
    %10 = stablehlo.slice %arg2 [0:3, 0:5] : (tensor<8x5xf64>) -> tensor<3x5xf64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %11 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %12 = stablehlo.compare LT, %c, %11, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_3 = stablehlo.constant dense<6> : tensor<i64>
    %13 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %14 = stablehlo.add %c, %13 : tensor<3xi64>
    %15 = stablehlo.select %12, %14, %c : tensor<3xi1>, tensor<3xi64>
    %16 = stablehlo.convert %15 : (tensor<3xi64>) -> tensor<3xi32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %18 = "stablehlo.scatter"(%arg0, %17, %10) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      stablehlo.return %arg4 : tensor<f64>
    }) : (tensor<6x5xf64>, tensor<3x1xi32>, tensor<3x5xf64>) -> tensor<6x5xf64>
    %19 = stablehlo.sine %18 : tensor<6x5xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %20 = stablehlo.reduce(%19 init: %cst_4) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x5xf64>, tensor<f64>) -> tensor<f64>
    %21 = stablehlo.add %9, %20 : tensor<f64>
    %22 = stablehlo.slice %arg2 [0:8, 0:1] : (tensor<8x5xf64>) -> tensor<8x1xf64>
    %23 = stablehlo.reshape %22 : (tensor<8x1xf64>) -> tensor<8xf64>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %25 = stablehlo.compare LT, %arg1, %24, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %c_6 = stablehlo.constant dense<6> : tensor<i32>
    %26 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %27 = stablehlo.add %arg1, %26 : tensor<8xi32>
    %28 = stablehlo.select %25, %27, %arg1 : tensor<8xi1>, tensor<8xi32>
    %c_7 = stablehlo.constant dense<2> : tensor<i64>
    %29 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i64>) -> tensor<8xi64>
    %30 = stablehlo.convert %29 : (tensor<8xi64>) -> tensor<8xi32>
    %31 = stablehlo.broadcast_in_dim %28, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %32 = stablehlo.broadcast_in_dim %30, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %33 = stablehlo.concatenate %31, %32, dim = 1 : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x2xi32>
    %34 = "stablehlo.scatter"(%arg0, %33, %23) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %49 = stablehlo.maximum %arg3, %arg4 : tensor<f64>
      stablehlo.return %49 : tensor<f64>
    }) : (tensor<6x5xf64>, tensor<8x2xi32>, tensor<8xf64>) -> tensor<6x5xf64>
    %35 = stablehlo.cosine %34 : tensor<6x5xf64>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %36 = stablehlo.reduce(%35 init: %cst_8) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x5xf64>, tensor<f64>) -> tensor<f64>
    %37 = stablehlo.add %21, %36 : tensor<f64>
    %38 = stablehlo.slice %arg2 [0:3, 0:5] : (tensor<8x5xf64>) -> tensor<3x5xf64>
    %c_9 = stablehlo.constant dense<0> : tensor<i64>
    %39 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %40 = stablehlo.compare LT, %c, %39, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_10 = stablehlo.constant dense<6> : tensor<i64>
    %41 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %42 = stablehlo.add %c, %41 : tensor<3xi64>
    %43 = stablehlo.select %40, %42, %c : tensor<3xi1>, tensor<3xi64>
    %44 = stablehlo.convert %43 : (tensor<3xi64>) -> tensor<3xi32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %46 = "stablehlo.scatter"(%arg0, %45, %38) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %49 = stablehlo.multiply %arg3, %arg4 : tensor<f64>
      stablehlo.return %49 : tensor<f64>
    }) : (tensor<6x5xf64>, tensor<3x1xi32>, tensor<3x5xf64>) -> tensor<6x5xf64>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %47 = stablehlo.reduce(%46 init: %cst_11) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x5xf64>, tensor<f64>) -> tensor<f64>
    %48 = stablehlo.add %37, %47 : tensor<f64>
    return %48 : tensor<f64>
  }
}
