module @jit_gather_batched attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x5x2xf32>, %arg1: tensor<3x4xi32>) -> (tensor<3x4x2xf32> {jax.result_info = "result[0]"}, tensor<3x2x1xf32> {jax.result_info = "result[1]"}, tensor<3x4xf32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x4xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3x4xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<3x4xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<3x4xi1>, tensor<3x4xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x4xi32>) -> tensor<3x4x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 2>}> : (tensor<3x5x2xf32>, tensor<3x4x1xi32>) -> tensor<3x4x2xf32>
    %7 = stablehlo.slice %arg1 [0:3, 0:1] : (tensor<3x4xi32>) -> tensor<3x1xi32>
    %8 = stablehlo.reshape %7 : (tensor<3x1xi32>) -> tensor<3xi32>
    %9 = stablehlo.slice %arg1 [0:3, 1:2] : (tensor<3x4xi32>) -> tensor<3x1xi32>
    %10 = stablehlo.reshape %9 : (tensor<3x1xi32>) -> tensor<3xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %12 = stablehlo.compare LT, %8, %11, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_2 = stablehlo.constant dense<5> : tensor<i32>
    %13 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %14 = stablehlo.add %8, %13 : tensor<3xi32>
    %15 = stablehlo.select %12, %14, %8 : tensor<3xi1>, tensor<3xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %17 = stablehlo.compare LT, %10, %16, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_4 = stablehlo.constant dense<2> : tensor<i32>
    %18 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %19 = stablehlo.add %10, %18 : tensor<3xi32>
    %20 = stablehlo.select %17, %19, %10 : tensor<3xi1>, tensor<3xi32>
    %21 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %22 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %23 = stablehlo.concatenate %21, %22, dim = 1 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
    %24 = "stablehlo.gather"(%arg0, %23) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 2, 1>}> : (tensor<3x5x2xf32>, tensor<3x2xi32>) -> tensor<3x2x1xf32>
    %25 = stablehlo.slice %arg0 [0:3, 0:5, 0:1] : (tensor<3x5x2xf32>) -> tensor<3x5x1xf32>
    %26 = stablehlo.reshape %25 : (tensor<3x5x1xf32>) -> tensor<3x5xf32>
    %27 = call @take_along_axis(%26, %arg1) : (tensor<3x5xf32>, tensor<3x4xi32>) -> tensor<3x4xf32>
    return %6, %24, %27 : tensor<3x4x2xf32>, tensor<3x2x1xf32>, tensor<3x4xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<3x5xf32>, %arg1: tensor<3x4xi32>) -> tensor<3x4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x4xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3x4xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<3x4xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<3x4xi1>, tensor<3x4xi32>
    %5 = stablehlo.reshape %4 : (tensor<3x4xi32>) -> tensor<3x4x1xi32>
    %c_1 = stablehlo.constant dense<4> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3x4x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x4x1xi32>, tensor<3x4x1xi32>) -> tensor<3x4x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<3x4x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<3x4x1xi32>, tensor<3x4x1xi32>) -> tensor<3x4x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<3x4x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<3x4x1xi1>, tensor<i1>) -> tensor<3x4xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<3x5xf32>, tensor<3x4x1xi32>) -> tensor<3x4xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<3x4xi1>, tensor<3x4xf32>
    return %15 : tensor<3x4xf32>
  }
}
