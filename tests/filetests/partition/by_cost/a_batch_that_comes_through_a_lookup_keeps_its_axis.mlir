// test collectives
// test collectives priorities-alone
// test equal
// The batch reaches the product through a gather, later than the weight does: cost decides, not who comes first.
module {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<64x16xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<16x32xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg2: tensor<64x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<64x16xf32> {jax.result_info = "result['table']"}, tensor<16x32xf32> {jax.result_info = "result['w']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<64x16xi32>
    %1 = stablehlo.compare LT, %arg2, %0, SIGNED : (tensor<64x16xi32>, tensor<64x16xi32>) -> tensor<64x16xi1>
    %c_0 = stablehlo.constant dense<64> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<64x16xi32>
    %3 = stablehlo.add %arg2, %2 : tensor<64x16xi32>
    %4 = stablehlo.select %1, %3, %arg2 : tensor<64x16xi1>, tensor<64x16xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<64x16xi32>) -> tensor<64x16x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<64x16xf32>, tensor<64x16x1xi32>) -> tensor<64x16x16xf32>
    %7 = stablehlo.dot_general %6, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x16x16xf32>, tensor<16x32xf32>) -> tensor<64x16x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x16x32xf32>
    %9 = stablehlo.maximum %7, %8 : tensor<64x16x32xf32>
    %10 = stablehlo.compare EQ, %7, %9, FLOAT : (tensor<64x16x32xf32>, tensor<64x16x32xf32>) -> tensor<64x16x32xi1>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<64x16x32xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<64x16x32xf32>
    %13 = stablehlo.select %10, %11, %12 : tensor<64x16x32xi1>, tensor<64x16x32xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<64x16x32xf32>
    %15 = stablehlo.compare EQ, %14, %9, FLOAT : (tensor<64x16x32xf32>, tensor<64x16x32xf32>) -> tensor<64x16x32xi1>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<64x16x32xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<64x16x32xf32>
    %18 = stablehlo.select %15, %16, %17 : tensor<64x16x32xi1>, tensor<64x16x32xf32>
    %19 = stablehlo.divide %13, %18 : tensor<64x16x32xf32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<64x16x32xf32>
    %21 = stablehlo.multiply %20, %9 : tensor<64x16x32xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<64x16x32xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<64x16x32xf32>
    %24 = stablehlo.multiply %23, %19 : tensor<64x16x32xf32>
    %25 = stablehlo.dot_general %24, %6, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<64x16x32xf32>, tensor<64x16x16xf32>) -> tensor<32x16xf32>
    %26 = stablehlo.transpose %25, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
    %27 = stablehlo.dot_general %24, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x16x32xf32>, tensor<16x32xf32>) -> tensor<64x16x16xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %29 = "stablehlo.scatter"(%28, %5, %27) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %36 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %36 : tensor<f32>
    }) : (tensor<64x16xf32>, tensor<64x16x1xi32>, tensor<64x16x16xf32>) -> tensor<64x16xf32>
    %cst_9 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %31 = stablehlo.multiply %30, %29 : tensor<64x16xf32>
    %32 = stablehlo.subtract %arg0, %31 : tensor<64x16xf32>
    %cst_10 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %34 = stablehlo.multiply %33, %26 : tensor<16x32xf32>
    %35 = stablehlo.subtract %arg1, %34 : tensor<16x32xf32>
    return %32, %35 : tensor<64x16xf32>, tensor<16x32xf32>
  }
}
//| --- collectives
//| 2 all-gather over {"x"}: 5376 bytes
//| 2 reduce-scatter over {"x"}: 5376 bytes
//| 393216 flops in contractions
//| --- collectives priorities-alone
//| 2 all-gather over {"x"}: 5376 bytes
//| 2 reduce-scatter over {"x"}: 5376 bytes
//| 2 all-to-all over {"x"}: 28672 bytes
//| 393216 flops in contractions
//| --- equal
