module @jit_reverse_scan attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x4xf64>, %arg1: tensor<4xf64>, %arg2: tensor<4x4xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:5 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %arg2, %iterArg_3 = %c, %iterArg_4 = %arg1, %iterArg_5 = %0) : tensor<6x4xf64>, tensor<4x4xf64>, tensor<i64>, tensor<4xf64>, tensor<6xf64>
    cond {
      %c_6 = stablehlo.constant dense<6> : tensor<i64>
      %7 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %c_6 = stablehlo.constant dense<6> : tensor<i64>
      %7 = stablehlo.subtract %c_6, %iterArg_3 : tensor<i64>
      %c_7 = stablehlo.constant dense<1> : tensor<i64>
      %8 = stablehlo.subtract %7, %c_7 : tensor<i64>
      %9 = func.call @dynamic_index_in_dim(%iterArg, %8) : (tensor<6x4xf64>, tensor<i64>) -> tensor<4xf64>
      %10:2 = func.call @closed_call(%iterArg_2, %iterArg_4, %9) : (tensor<4x4xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<f64>)
      %11 = func.call @dynamic_update_index_in_dim(%iterArg_5, %10#1, %8) : (tensor<6xf64>, tensor<f64>, tensor<i64>) -> tensor<6xf64>
      %c_8 = stablehlo.constant dense<1> : tensor<i64>
      %12 = stablehlo.add %iterArg_3, %c_8 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_2, %12, %10#0, %11 : tensor<6x4xf64>, tensor<4x4xf64>, tensor<i64>, tensor<4xf64>, tensor<6xf64>
    }
    %2 = stablehlo.iota dim = 0 : tensor<6xf64>
    %3 = stablehlo.multiply %1#4, %2 : tensor<6xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<6xf64>, tensor<f64>) -> tensor<f64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.reduce(%1#3 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    %6 = stablehlo.add %4, %5 : tensor<f64>
    return %6 : tensor<f64>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<6x4xf64>, %arg1: tensor<i64>) -> tensor<4xf64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 4] : (tensor<6x4xf64>, tensor<i64>, tensor<i64>) -> tensor<1x4xf64>
    %1 = stablehlo.reshape %0 : (tensor<1x4xf64>) -> tensor<4xf64>
    return %1 : tensor<4xf64>
  }
  func.func private @closed_call(%arg0: tensor<4x4xf64>, %arg1: tensor<4xf64>, %arg2: tensor<4xf64>) -> (tensor<4xf64>, tensor<f64>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %1 = stablehlo.add %0, %arg2 : tensor<4xf64>
    %2 = stablehlo.tanh %1 : tensor<4xf64>
    %3 = stablehlo.multiply %2, %arg2 : tensor<4xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    return %2, %4 : tensor<4xf64>, tensor<f64>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<6xf64>, %arg1: tensor<f64>, %arg2: tensor<i64>) -> tensor<6xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<6xf64>, tensor<1xf64>, tensor<i64>) -> tensor<6xf64>
    return %1 : tensor<6xf64>
  }
}
