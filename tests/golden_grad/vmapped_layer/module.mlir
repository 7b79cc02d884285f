module @jit_vmapped_layer attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x4xf64>, %arg1: tensor<4x4xf64>, %arg2: tensor<4xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3x5xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:5 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %arg2, %iterArg_3 = %c, %iterArg_4 = %arg0, %iterArg_5 = %0) : tensor<4x4xf64>, tensor<4xf64>, tensor<i64>, tensor<5x4xf64>, tensor<3x5xf64>
    cond {
      %c_6 = stablehlo.constant dense<3> : tensor<i64>
      %5 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %5:2 = func.call @closed_call(%iterArg, %iterArg_2, %iterArg_4) : (tensor<4x4xf64>, tensor<4xf64>, tensor<5x4xf64>) -> (tensor<5x4xf64>, tensor<5xf64>)
      %6 = func.call @dynamic_update_index_in_dim(%iterArg_5, %5#1, %iterArg_3) : (tensor<3x5xf64>, tensor<5xf64>, tensor<i64>) -> tensor<3x5xf64>
      %c_6 = stablehlo.constant dense<1> : tensor<i64>
      %7 = stablehlo.add %iterArg_3, %c_6 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_2, %7, %5#0, %6 : tensor<4x4xf64>, tensor<4xf64>, tensor<i64>, tensor<5x4xf64>, tensor<3x5xf64>
    }
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1#4 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<3x5xf64>, tensor<f64>) -> tensor<5xf64>
    %3 = stablehlo.multiply %2, %2 : tensor<5xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %4 = stablehlo.reduce(%3 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
    return %4 : tensor<f64>
  }
  func.func private @closed_call(%arg0: tensor<4x4xf64>, %arg1: tensor<4xf64>, %arg2: tensor<5x4xf64>) -> (tensor<5x4xf64>, tensor<5xf64>) {
    %0 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf64>, tensor<5x4xf64>) -> tensor<4x5xf64>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x5xf64>) -> tensor<5x4xf64>
    %2 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf64>) -> tensor<1x4xf64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x4xf64>) -> tensor<5x4xf64>
    %4 = stablehlo.add %1, %3 : tensor<5x4xf64>
    %5 = stablehlo.tanh %4 : tensor<5x4xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %6 = stablehlo.reduce(%arg2 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<5x4xf64>, tensor<f64>) -> tensor<5xf64>
    return %5, %6 : tensor<5x4xf64>, tensor<5xf64>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<3x5xf64>, %arg1: tensor<5xf64>, %arg2: tensor<i64>) -> tensor<3x5xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<5xf64>) -> tensor<1x5xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<3x5xf64>, tensor<1x5xf64>, tensor<i64>, tensor<i64>) -> tensor<3x5xf64>
    return %1 : tensor<3x5xf64>
  }
}
