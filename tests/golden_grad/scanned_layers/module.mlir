module @jit_scanned_layers attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf64>, %arg1: tensor<4x4x4xf64>, %arg2: tensor<4x4xf64>, %arg3: tensor<4x4x8xf64>, %arg4: tensor<4x8x4xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0:6 = stablehlo.while(%iterArg = %arg1, %iterArg_1 = %arg2, %iterArg_2 = %arg3, %iterArg_3 = %arg4, %iterArg_4 = %c, %iterArg_5 = %arg0) : tensor<4x4x4xf64>, tensor<4x4xf64>, tensor<4x4x8xf64>, tensor<4x8x4xf64>, tensor<i64>, tensor<3x4xf64>
    cond {
      %c_6 = stablehlo.constant dense<4> : tensor<i64>
      %4 = stablehlo.compare LT, %iterArg_4, %c_6, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_4) : (tensor<4x4x4xf64>, tensor<i64>) -> tensor<4x4xf64>
      %5 = func.call @dynamic_index_in_dim_0(%iterArg_1, %iterArg_4) : (tensor<4x4xf64>, tensor<i64>) -> tensor<4xf64>
      %6 = func.call @dynamic_index_in_dim_1(%iterArg_2, %iterArg_4) : (tensor<4x4x8xf64>, tensor<i64>) -> tensor<4x8xf64>
      %7 = func.call @dynamic_index_in_dim_2(%iterArg_3, %iterArg_4) : (tensor<4x8x4xf64>, tensor<i64>) -> tensor<8x4xf64>
      %8 = func.call @closed_call(%iterArg_5, %4, %5, %6, %7) : (tensor<3x4xf64>, tensor<4x4xf64>, tensor<4xf64>, tensor<4x8xf64>, tensor<8x4xf64>) -> tensor<3x4xf64>
      %c_6 = stablehlo.constant dense<1> : tensor<i64>
      %9 = stablehlo.add %iterArg_4, %c_6 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_1, %iterArg_2, %iterArg_3, %9, %8 : tensor<4x4x4xf64>, tensor<4x4xf64>, tensor<4x4x8xf64>, tensor<4x8x4xf64>, tensor<i64>, tensor<3x4xf64>
    }
    %1 = stablehlo.multiply %0#5, %0#5 : tensor<3x4xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf64>, tensor<f64>) -> tensor<f64>
    %cst_0 = stablehlo.constant dense<1.200000e+01> : tensor<f64>
    %3 = stablehlo.divide %2, %cst_0 : tensor<f64>
    return %3 : tensor<f64>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<4x4x4xf64>, %arg1: tensor<i64>) -> tensor<4x4xf64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 4, 4] : (tensor<4x4x4xf64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x4x4xf64>
    %1 = stablehlo.reshape %0 : (tensor<1x4x4xf64>) -> tensor<4x4xf64>
    return %1 : tensor<4x4xf64>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<4x4xf64>, %arg1: tensor<i64>) -> tensor<4xf64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 4] : (tensor<4x4xf64>, tensor<i64>, tensor<i64>) -> tensor<1x4xf64>
    %1 = stablehlo.reshape %0 : (tensor<1x4xf64>) -> tensor<4xf64>
    return %1 : tensor<4xf64>
  }
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<4x4x8xf64>, %arg1: tensor<i64>) -> tensor<4x8xf64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 4, 8] : (tensor<4x4x8xf64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x4x8xf64>
    %1 = stablehlo.reshape %0 : (tensor<1x4x8xf64>) -> tensor<4x8xf64>
    return %1 : tensor<4x8xf64>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<4x8x4xf64>, %arg1: tensor<i64>) -> tensor<8x4xf64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 8, 4] : (tensor<4x8x4xf64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x8x4xf64>
    %1 = stablehlo.reshape %0 : (tensor<1x8x4xf64>) -> tensor<8x4xf64>
    return %1 : tensor<8x4xf64>
  }
  func.func private @closed_call(%arg0: tensor<3x4xf64>, %arg1: tensor<4x4xf64>, %arg2: tensor<4xf64>, %arg3: tensor<4x8xf64>, %arg4: tensor<8x4xf64>) -> tensor<3x4xf64> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<3x4xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<3xf64>) -> tensor<3x1xf64>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3x1xf64>
    %4 = stablehlo.divide %2, %3 : tensor<3x1xf64>
    %cst_1 = stablehlo.constant dense<9.9999999999999995E-7> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<3x1xf64>
    %6 = stablehlo.add %4, %5 : tensor<3x1xf64>
    %7 = stablehlo.rsqrt %6 : tensor<3x1xf64>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x4xf64>
    %9 = stablehlo.multiply %arg0, %8 : tensor<3x4xf64>
    %10 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<4xf64>) -> tensor<1x4xf64>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<1x4xf64>) -> tensor<3x4xf64>
    %12 = stablehlo.multiply %9, %11 : tensor<3x4xf64>
    %13 = stablehlo.dot_general %12, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xf64>, tensor<4x4xf64>) -> tensor<3x4xf64>
    %14 = stablehlo.add %arg0, %13 : tensor<3x4xf64>
    %15 = stablehlo.multiply %14, %14 : tensor<3x4xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %16 = stablehlo.reduce(%15 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<3xf64>) -> tensor<3x1xf64>
    %cst_3 = stablehlo.constant dense<4.000000e+00> : tensor<f64>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<3x1xf64>
    %19 = stablehlo.divide %17, %18 : tensor<3x1xf64>
    %cst_4 = stablehlo.constant dense<9.9999999999999995E-7> : tensor<f64>
    %20 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<3x1xf64>
    %21 = stablehlo.add %19, %20 : tensor<3x1xf64>
    %22 = stablehlo.rsqrt %21 : tensor<3x1xf64>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x4xf64>
    %24 = stablehlo.multiply %14, %23 : tensor<3x4xf64>
    %25 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<4xf64>) -> tensor<1x4xf64>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<1x4xf64>) -> tensor<3x4xf64>
    %27 = stablehlo.multiply %24, %26 : tensor<3x4xf64>
    %28 = stablehlo.dot_general %27, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xf64>, tensor<4x8xf64>) -> tensor<3x8xf64>
    %29 = call @relu(%28) : (tensor<3x8xf64>) -> tensor<3x8xf64>
    %30 = stablehlo.dot_general %29, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x8xf64>, tensor<8x4xf64>) -> tensor<3x4xf64>
    %31 = stablehlo.add %14, %30 : tensor<3x4xf64>
    return %31 : tensor<3x4xf64>
  }
  func.func private @relu(%arg0: tensor<3x8xf64>) -> tensor<3x8xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3x8xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<3x8xf64>
    return %1 : tensor<3x8xf64>
  }
}
