module @jit_lstm attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7x2x3xf64>, %arg1: tensor<2x4xf64>, %arg2: tensor<7x16xf64>, %arg3: tensor<16xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x4xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<7x2x4xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2:7 = stablehlo.while(%iterArg = %arg0, %iterArg_4 = %arg2, %iterArg_5 = %arg3, %iterArg_6 = %c, %iterArg_7 = %arg1, %iterArg_8 = %0, %iterArg_9 = %1) : tensor<7x2x3xf64>, tensor<7x16xf64>, tensor<16xf64>, tensor<i64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<7x2x4xf64>
    cond {
      %c_10 = stablehlo.constant dense<7> : tensor<i64>
      %8 = stablehlo.compare LT, %iterArg_6, %c_10, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %8 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_6) : (tensor<7x2x3xf64>, tensor<i64>) -> tensor<2x3xf64>
      %9:3 = func.call @closed_call(%iterArg_4, %iterArg_5, %iterArg_7, %iterArg_8, %8) : (tensor<7x16xf64>, tensor<16xf64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x3xf64>) -> (tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x4xf64>)
      %10 = func.call @dynamic_update_index_in_dim(%iterArg_9, %9#2, %iterArg_6) : (tensor<7x2x4xf64>, tensor<2x4xf64>, tensor<i64>) -> tensor<7x2x4xf64>
      %c_10 = stablehlo.constant dense<1> : tensor<i64>
      %11 = stablehlo.add %iterArg_6, %c_10 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_4, %iterArg_5, %11, %9#0, %9#1, %10 : tensor<7x2x3xf64>, tensor<7x16xf64>, tensor<16xf64>, tensor<i64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<7x2x4xf64>
    }
    %3 = stablehlo.multiply %2#6, %2#6 : tensor<7x2x4xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %4 = stablehlo.reduce(%3 init: %cst_1) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<7x2x4xf64>, tensor<f64>) -> tensor<f64>
    %cst_2 = stablehlo.constant dense<5.600000e+01> : tensor<f64>
    %5 = stablehlo.divide %4, %cst_2 : tensor<f64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %6 = stablehlo.reduce(%2#5 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4xf64>, tensor<f64>) -> tensor<f64>
    %7 = stablehlo.add %5, %6 : tensor<f64>
    return %7 : tensor<f64>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<7x2x3xf64>, %arg1: tensor<i64>) -> tensor<2x3xf64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 2, 3] : (tensor<7x2x3xf64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x2x3xf64>
    %1 = stablehlo.reshape %0 : (tensor<1x2x3xf64>) -> tensor<2x3xf64>
    return %1 : tensor<2x3xf64>
  }
  func.func private @closed_call(%arg0: tensor<7x16xf64>, %arg1: tensor<16xf64>, %arg2: tensor<2x4xf64>, %arg3: tensor<2x4xf64>, %arg4: tensor<2x3xf64>) -> (tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x4xf64>) {
    %0 = stablehlo.concatenate %arg4, %arg2, dim = 1 : (tensor<2x3xf64>, tensor<2x4xf64>) -> tensor<2x7xf64>
    %1 = stablehlo.dot_general %0, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x7xf64>, tensor<7x16xf64>) -> tensor<2x16xf64>
    %2 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<16xf64>) -> tensor<1x16xf64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x16xf64>) -> tensor<2x16xf64>
    %4 = stablehlo.add %1, %3 : tensor<2x16xf64>
    %5 = stablehlo.slice %4 [0:2, 0:4] : (tensor<2x16xf64>) -> tensor<2x4xf64>
    %6 = stablehlo.slice %4 [0:2, 4:8] : (tensor<2x16xf64>) -> tensor<2x4xf64>
    %7 = stablehlo.slice %4 [0:2, 8:12] : (tensor<2x16xf64>) -> tensor<2x4xf64>
    %8 = stablehlo.slice %4 [0:2, 12:16] : (tensor<2x16xf64>) -> tensor<2x4xf64>
    %9 = stablehlo.negate %6 : tensor<2x4xf64>
    %10 = stablehlo.exponential %9 : tensor<2x4xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x4xf64>
    %12 = stablehlo.add %11, %10 : tensor<2x4xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<2x4xf64>
    %14 = stablehlo.divide %13, %12 : tensor<2x4xf64>
    %15 = stablehlo.multiply %14, %arg3 : tensor<2x4xf64>
    %16 = stablehlo.negate %5 : tensor<2x4xf64>
    %17 = stablehlo.exponential %16 : tensor<2x4xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %18 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<2x4xf64>
    %19 = stablehlo.add %18, %17 : tensor<2x4xf64>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %20 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<2x4xf64>
    %21 = stablehlo.divide %20, %19 : tensor<2x4xf64>
    %22 = stablehlo.tanh %7 : tensor<2x4xf64>
    %23 = stablehlo.multiply %21, %22 : tensor<2x4xf64>
    %24 = stablehlo.add %15, %23 : tensor<2x4xf64>
    %25 = stablehlo.negate %8 : tensor<2x4xf64>
    %26 = stablehlo.exponential %25 : tensor<2x4xf64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %27 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<2x4xf64>
    %28 = stablehlo.add %27, %26 : tensor<2x4xf64>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %29 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<2x4xf64>
    %30 = stablehlo.divide %29, %28 : tensor<2x4xf64>
    %31 = stablehlo.tanh %24 : tensor<2x4xf64>
    %32 = stablehlo.multiply %30, %31 : tensor<2x4xf64>
    return %32, %24, %32 : tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x4xf64>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<7x2x4xf64>, %arg1: tensor<2x4xf64>, %arg2: tensor<i64>) -> tensor<7x2x4xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<2x4xf64>) -> tensor<1x2x4xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<7x2x4xf64>, tensor<1x2x4xf64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<7x2x4xf64>
    return %1 : tensor<7x2x4xf64>
  }
}
