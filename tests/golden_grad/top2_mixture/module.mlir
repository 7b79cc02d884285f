module @jit_top2_mixture attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x4xf64>, %arg1: tensor<4x8xf64>, %arg2: tensor<8x4x3xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x4xf64>, tensor<4x8xf64>) -> tensor<6x8xf64>
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<6x8xf64>, tensor<f64>) -> tensor<6xf64>
    %cst_0 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %3 = stablehlo.maximum %2, %1 : tensor<6xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<6xf64>) -> tensor<6x1xf64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<6x1xf64>) -> tensor<6x8xf64>
    %6 = stablehlo.subtract %0, %5 : tensor<6x8xf64>
    %7 = stablehlo.exponential %6 : tensor<6x8xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf64>, tensor<f64>) -> tensor<6xf64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<6xf64>) -> tensor<6x1xf64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<6x1xf64>) -> tensor<6x8xf64>
    %11 = stablehlo.divide %7, %10 : tensor<6x8xf64>
    %values, %indices = chlo.top_k(%11, k = 2) : tensor<6x8xf64> -> (tensor<6x2xf64>, tensor<6x2xi32>)
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %12 = stablehlo.reduce(%values init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<6x2xf64>, tensor<f64>) -> tensor<6xf64>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<6xf64>) -> tensor<6x1xf64>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<6x1xf64>) -> tensor<6x2xf64>
    %15 = stablehlo.divide %values, %14 : tensor<6x2xf64>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x2xi32>
    %17 = stablehlo.compare LT, %indices, %16, SIGNED : (tensor<6x2xi32>, tensor<6x2xi32>) -> tensor<6x2xi1>
    %c_3 = stablehlo.constant dense<8> : tensor<i32>
    %18 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<6x2xi32>
    %19 = stablehlo.add %indices, %18 : tensor<6x2xi32>
    %20 = stablehlo.select %17, %19, %indices : tensor<6x2xi1>, tensor<6x2xi32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<6x2xi32>) -> tensor<6x2x1xi32>
    %22 = "stablehlo.gather"(%arg2, %21) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4, 3>}> : (tensor<8x4x3xf64>, tensor<6x2x1xi32>) -> tensor<6x2x4x3xf64>
    %23 = stablehlo.dot_general %arg0, %22, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x4xf64>, tensor<6x2x4x3xf64>) -> tensor<6x2x3xf64>
    %24 = stablehlo.tanh %23 : tensor<6x2x3xf64>
    %25 = stablehlo.dot_general %15, %24, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x2xf64>, tensor<6x2x3xf64>) -> tensor<6x3xf64>
    %26 = stablehlo.multiply %25, %25 : tensor<6x3xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %27 = stablehlo.reduce(%26 init: %cst_4) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x3xf64>, tensor<f64>) -> tensor<f64>
    %cst_5 = stablehlo.constant dense<1.800000e+01> : tensor<f64>
    %28 = stablehlo.divide %27, %cst_5 : tensor<f64>
    return %28 : tensor<f64>
  }
}
