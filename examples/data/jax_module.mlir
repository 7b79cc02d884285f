module @jit_attention attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12x4xf32>, %arg1: tensor<4x12xf32>, %arg2: tensor<12x4xf32>, %arg3: tensor<12x4xf32>, %arg4: tensor<16x8x12xf32>) -> (tensor<16x8x12xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_1 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %cst_2 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %0 = stablehlo.dot_general %arg4, %arg2, contracting_dims = [2] x [0] : (tensor<16x8x12xf32>, tensor<12x4xf32>) -> tensor<16x8x4xf32>
    %1 = stablehlo.dot_general %arg4, %arg0, contracting_dims = [2] x [0] : (tensor<16x8x12xf32>, tensor<12x4xf32>) -> tensor<16x8x4xf32>
    %2 = stablehlo.dot_general %arg4, %arg3, contracting_dims = [2] x [0] : (tensor<16x8x12xf32>, tensor<12x4xf32>) -> tensor<16x8x4xf32>
    %3 = stablehlo.transpose %1, dims = [0, 2, 1] : (tensor<16x8x4xf32>) -> tensor<16x4x8xf32>
    %4 = stablehlo.dot_general %0, %3, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<16x8x4xf32>, tensor<16x4x8xf32>) -> tensor<16x8x8xf32>
    %5 = stablehlo.sqrt %cst_2 : tensor<f32>
    %6 = stablehlo.convert %5 : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<16x8x8xf32>
    %8 = stablehlo.divide %4, %7 : tensor<16x8x8xf32>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<8x8xi1>
    %10 = call @tril(%9) : (tensor<8x8xi1>) -> tensor<8x8xi1>
    %11 = call @_where(%10, %8, %cst_1) : (tensor<8x8xi1>, tensor<16x8x8xf32>, tensor<f32>) -> tensor<16x8x8xf32>
    %12 = stablehlo.reduce(%11 init: %cst_0) applies stablehlo.maximum across dimensions = [2] : (tensor<16x8x8xf32>, tensor<f32>) -> tensor<16x8xf32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %14 = stablehlo.maximum %13, %12 : tensor<16x8xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<16x8xf32>) -> tensor<16x8x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<16x8x1xf32>) -> tensor<16x8x8xf32>
    %17 = stablehlo.subtract %11, %16 : tensor<16x8x8xf32>
    %18 = stablehlo.exponential %17 : tensor<16x8x8xf32>
    %19 = stablehlo.reduce(%18 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<16x8x8xf32>, tensor<f32>) -> tensor<16x8xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<16x8xf32>) -> tensor<16x8x1xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<16x8x1xf32>) -> tensor<16x8x8xf32>
    %22 = stablehlo.divide %18, %21 : tensor<16x8x8xf32>
    %23 = stablehlo.dot_general %22, %2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<16x8x8xf32>, tensor<16x8x4xf32>) -> tensor<16x8x4xf32>
    %24 = stablehlo.dot_general %23, %arg1, contracting_dims = [2] x [0] : (tensor<16x8x4xf32>, tensor<4x12xf32>) -> tensor<16x8x12xf32>
    %25 = stablehlo.add %arg4, %24 : tensor<16x8x12xf32>
    return %25 : tensor<16x8x12xf32>
  }
  func.func private @tril(%arg0: tensor<8x8xi1>) -> tensor<8x8xi1> {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.iota dim = 0 : tensor<8x8xi32>
    %1 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x8xi32>
    %2 = stablehlo.add %0, %1 : tensor<8x8xi32>
    %3 = stablehlo.iota dim = 1 : tensor<8x8xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<8x8xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<8x8xi1>, tensor<8x8xi1>
    return %6 : tensor<8x8xi1>
  }
  func.func private @_where(%arg0: tensor<8x8xi1>, %arg1: tensor<16x8x8xf32>, %arg2: tensor<f32>) -> tensor<16x8x8xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<8x8xi1>) -> tensor<16x8x8xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<16x8x8xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<16x8x8xi1>, tensor<16x8x8xf32>
    return %3 : tensor<16x8x8xf32>
  }
}
