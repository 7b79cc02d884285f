module @jit_cond_in_scan attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf64>, %arg1: tensor<5x5xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2:5 = stablehlo.while(%iterArg = %arg0, %iterArg_3 = %arg1, %iterArg_4 = %c, %iterArg_5 = %0, %iterArg_6 = %1) : tensor<6xf64>, tensor<5x5xf64>, tensor<i64>, tensor<5xf64>, tensor<6xf64>
    cond {
      %c_7 = stablehlo.constant dense<6> : tensor<i64>
      %7 = stablehlo.compare LT, %iterArg_4, %c_7, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_4) : (tensor<6xf64>, tensor<i64>) -> tensor<f64>
      %8:2 = func.call @closed_call(%iterArg_3, %iterArg_5, %7) : (tensor<5x5xf64>, tensor<5xf64>, tensor<f64>) -> (tensor<5xf64>, tensor<f64>)
      %9 = func.call @dynamic_update_index_in_dim(%iterArg_6, %8#1, %iterArg_4) : (tensor<6xf64>, tensor<f64>, tensor<i64>) -> tensor<6xf64>
      %c_7 = stablehlo.constant dense<1> : tensor<i64>
      %10 = stablehlo.add %iterArg_4, %c_7 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_3, %10, %8#0, %9 : tensor<6xf64>, tensor<5x5xf64>, tensor<i64>, tensor<5xf64>, tensor<6xf64>
    }
    %3 = stablehlo.multiply %2#3, %2#3 : tensor<5xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %4 = stablehlo.reduce(%3 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.reduce(%2#4 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<6xf64>, tensor<f64>) -> tensor<f64>
    %6 = stablehlo.add %4, %5 : tensor<f64>
    return %6 : tensor<f64>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<6xf64>, %arg1: tensor<i64>) -> tensor<f64> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<6xf64>, tensor<i64>) -> tensor<1xf64>
    %1 = stablehlo.reshape %0 : (tensor<1xf64>) -> tensor<f64>
    return %1 : tensor<f64>
  }
  func.func private @closed_call(%arg0: tensor<5x5xf64>, %arg1: tensor<5xf64>, %arg2: tensor<f64>) -> (tensor<5xf64>, tensor<f64>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.compare GT, %arg2, %cst, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %1 = stablehlo.convert %0 : (tensor<i1>) -> tensor<i32>
    %2 = "stablehlo.case"(%1) ({
      %5 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f64>) -> tensor<5xf64>
      %6 = stablehlo.multiply %arg1, %5 : tensor<5xf64>
      stablehlo.return %6 : tensor<5xf64>
    }, {
      %5 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x5xf64>, tensor<5xf64>) -> tensor<5xf64>
      %6 = stablehlo.tanh %5 : tensor<5xf64>
      %7 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f64>) -> tensor<5xf64>
      %8 = stablehlo.add %6, %7 : tensor<5xf64>
      stablehlo.return %8 : tensor<5xf64>
    }) : (tensor<i32>) -> tensor<5xf64>
    %3 = stablehlo.slice %2 [0:1] : (tensor<5xf64>) -> tensor<1xf64>
    %4 = stablehlo.reshape %3 : (tensor<1xf64>) -> tensor<f64>
    return %2, %4 : tensor<5xf64>, tensor<f64>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<6xf64>, %arg1: tensor<f64>, %arg2: tensor<i64>) -> tensor<6xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<6xf64>, tensor<1xf64>, tensor<i64>) -> tensor<6xf64>
    return %1 : tensor<6xf64>
  }
}
