module @jit_lstm attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x2x3xf32>, %arg1: tensor<6x12xf32>, %arg2: tensor<12xf32>) -> (tensor<2x3xf32> {jax.result_info = "result[0][0]"}, tensor<2x3xf32> {jax.result_info = "result[0][1]"}, tensor<5x2x3xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<5x2x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3:7 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %arg1, %iterArg_3 = %arg2, %iterArg_4 = %c, %iterArg_5 = %0, %iterArg_6 = %1, %iterArg_7 = %2) : tensor<5x2x3xf32>, tensor<6x12xf32>, tensor<12xf32>, tensor<i32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<5x2x3xf32>
    cond {
      %c_8 = stablehlo.constant dense<5> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg_4, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_4) : (tensor<5x2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
      %5:3 = func.call @closed_call(%iterArg_2, %iterArg_3, %iterArg_5, %iterArg_6, %4) : (tensor<6x12xf32>, tensor<12xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
      %6 = func.call @dynamic_update_index_in_dim(%iterArg_7, %5#2, %iterArg_4) : (tensor<5x2x3xf32>, tensor<2x3xf32>, tensor<i32>) -> tensor<5x2x3xf32>
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %7 = stablehlo.add %iterArg_4, %c_8 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_2, %iterArg_3, %7, %5#0, %5#1, %6 : tensor<5x2x3xf32>, tensor<6x12xf32>, tensor<12xf32>, tensor<i32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<5x2x3xf32>
    }
    return %3#4, %3#5, %3#6 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<5x2x3xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<5x2x3xf32>, %arg1: tensor<i32>) -> tensor<2x3xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 2, 3] : (tensor<5x2x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
    return %1 : tensor<2x3xf32>
  }
  func.func private @closed_call(%arg0: tensor<6x12xf32>, %arg1: tensor<12xf32>, %arg2: tensor<2x3xf32>, %arg3: tensor<2x3xf32>, %arg4: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
    %0 = stablehlo.concatenate %arg4, %arg2, dim = 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
    %1 = stablehlo.dot_general %0, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6xf32>, tensor<6x12xf32>) -> tensor<2x12xf32>
    %2 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<12xf32>) -> tensor<1x12xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x12xf32>) -> tensor<2x12xf32>
    %4 = stablehlo.add %1, %3 : tensor<2x12xf32>
    %5 = stablehlo.slice %4 [0:2, 0:3] : (tensor<2x12xf32>) -> tensor<2x3xf32>
    %6 = stablehlo.slice %4 [0:2, 3:6] : (tensor<2x12xf32>) -> tensor<2x3xf32>
    %7 = stablehlo.slice %4 [0:2, 6:9] : (tensor<2x12xf32>) -> tensor<2x3xf32>
    %8 = stablehlo.slice %4 [0:2, 9:12] : (tensor<2x12xf32>) -> tensor<2x3xf32>
    %9 = stablehlo.negate %6 : tensor<2x3xf32>
    %10 = stablehlo.exponential %9 : tensor<2x3xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %12 = stablehlo.add %11, %10 : tensor<2x3xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %14 = stablehlo.divide %13, %12 : tensor<2x3xf32>
    %15 = stablehlo.multiply %14, %arg3 : tensor<2x3xf32>
    %16 = stablehlo.negate %5 : tensor<2x3xf32>
    %17 = stablehlo.exponential %16 : tensor<2x3xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %19 = stablehlo.add %18, %17 : tensor<2x3xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %21 = stablehlo.divide %20, %19 : tensor<2x3xf32>
    %22 = stablehlo.tanh %7 : tensor<2x3xf32>
    %23 = stablehlo.multiply %21, %22 : tensor<2x3xf32>
    %24 = stablehlo.add %15, %23 : tensor<2x3xf32>
    %25 = stablehlo.negate %8 : tensor<2x3xf32>
    %26 = stablehlo.exponential %25 : tensor<2x3xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %28 = stablehlo.add %27, %26 : tensor<2x3xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %30 = stablehlo.divide %29, %28 : tensor<2x3xf32>
    %31 = stablehlo.tanh %24 : tensor<2x3xf32>
    %32 = stablehlo.multiply %30, %31 : tensor<2x3xf32>
    return %32, %24, %32 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<5x2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<i32>) -> tensor<5x2x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<5x2x3xf32>, tensor<1x2x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x2x3xf32>
    return %1 : tensor<5x2x3xf32>
  }
}
