module @jit_scatter_batched attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x5x2xf32>, %arg1: tensor<3x4xi32>, %arg2: tensor<3x4x2xf32>) -> (tensor<3x5x2xf32> {jax.result_info = "result[0]"}, tensor<3x5x2xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x4xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3x4xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<3x4xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<3x4xi1>, tensor<3x4xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x4xi32>) -> tensor<3x4x1xi32>
    %6 = "stablehlo.scatter"(%arg0, %5, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %31 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %31 : tensor<f32>
    }) : (tensor<3x5x2xf32>, tensor<3x4x1xi32>, tensor<3x4x2xf32>) -> tensor<3x5x2xf32>
    %7 = stablehlo.slice %arg2 [0:3, 0:2, 0:1] : (tensor<3x4x2xf32>) -> tensor<3x2x1xf32>
    %8 = stablehlo.slice %arg1 [0:3, 0:1] : (tensor<3x4xi32>) -> tensor<3x1xi32>
    %9 = stablehlo.reshape %8 : (tensor<3x1xi32>) -> tensor<3xi32>
    %10 = stablehlo.slice %arg1 [0:3, 1:2] : (tensor<3x4xi32>) -> tensor<3x1xi32>
    %11 = stablehlo.reshape %10 : (tensor<3x1xi32>) -> tensor<3xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %13 = stablehlo.compare LT, %9, %12, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_2 = stablehlo.constant dense<5> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %15 = stablehlo.add %9, %14 : tensor<3xi32>
    %16 = stablehlo.select %13, %15, %9 : tensor<3xi1>, tensor<3xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %18 = stablehlo.compare LT, %11, %17, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_4 = stablehlo.constant dense<2> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %20 = stablehlo.add %11, %19 : tensor<3xi32>
    %21 = stablehlo.select %18, %20, %11 : tensor<3xi1>, tensor<3xi32>
    %22 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %23 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %24 = stablehlo.concatenate %22, %23, dim = 1 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
    %c_5 = stablehlo.constant dense<[3, 1]> : tensor<2xi32>
    %c_6 = stablehlo.constant dense<2147483647> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %26 = stablehlo.minimum %c_5, %25 : tensor<2xi32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [1] : (tensor<2xi32>) -> tensor<3x2xi32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<3x2xi32>
    %29 = stablehlo.clamp %28, %24, %27 : tensor<3x2xi32>
    %30 = "stablehlo.scatter"(%arg0, %29, %7) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<3x5x2xf32>, tensor<3x2xi32>, tensor<3x2x1xf32>) -> tensor<3x5x2xf32>
    return %6, %30 : tensor<3x5x2xf32>, tensor<3x5x2xf32>
  }
}
