module @jit_binary_functions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x5xf64>, %arg1: tensor<4x5xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.exponential %arg0 : tensor<4x5xf64>
    %1 = stablehlo.atan2 %arg0, %arg1 : tensor<4x5xf64>
    %2 = stablehlo.power %0, %arg1 : tensor<4x5xf64>
    %3 = stablehlo.add %1, %2 : tensor<4x5xf64>
    %4 = call @hypot(%arg0, %arg1) : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xf64>
    %5 = stablehlo.add %3, %4 : tensor<4x5xf64>
    %6 = stablehlo.maximum %arg0, %arg1 : tensor<4x5xf64>
    %7 = stablehlo.subtract %arg0, %arg1 : tensor<4x5xf64>
    %8 = stablehlo.compare NE, %7, %7, FLOAT : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xi1>
    %9 = stablehlo.add %arg0, %arg1 : tensor<4x5xf64>
    %10 = stablehlo.abs %7 : tensor<4x5xf64>
    %11 = stablehlo.negate %10 : tensor<4x5xf64>
    %12 = stablehlo.exponential %11 : tensor<4x5xf64>
    %13 = stablehlo.log_plus_one %12 : tensor<4x5xf64>
    %14 = stablehlo.add %6, %13 : tensor<4x5xf64>
    %15 = stablehlo.select %8, %9, %14 : tensor<4x5xi1>, tensor<4x5xf64>
    %16 = stablehlo.add %5, %15 : tensor<4x5xf64>
    %17 = stablehlo.maximum %arg0, %arg1 : tensor<4x5xf64>
    %18 = stablehlo.add %16, %17 : tensor<4x5xf64>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %19 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %20 = stablehlo.multiply %19, %arg1 : tensor<4x5xf64>
    %21 = stablehlo.minimum %arg0, %20 : tensor<4x5xf64>
    %22 = stablehlo.add %18, %21 : tensor<4x5xf64>
    %23 = stablehlo.multiply %arg1, %arg1 : tensor<4x5xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %24 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %25 = stablehlo.add %24, %23 : tensor<4x5xf64>
    %26 = stablehlo.divide %arg0, %25 : tensor<4x5xf64>
    %27 = stablehlo.add %22, %26 : tensor<4x5xf64>
    %cst_1 = stablehlo.constant dense<1.700000e+00> : tensor<f64>
    %28 = call @remainder(%arg0, %cst_1) : (tensor<4x5xf64>, tensor<f64>) -> tensor<4x5xf64>
    %29 = stablehlo.add %27, %28 : tensor<4x5xf64>
    %30 = call @sinc(%arg0) : (tensor<4x5xf64>) -> tensor<4x5xf64>
    %31 = stablehlo.add %29, %30 : tensor<4x5xf64>
    %cst_2 = stablehlo.constant dense<-5.000000e-01> : tensor<f64>
    %cst_3 = stablehlo.constant dense<0.69999999999999996> : tensor<f64>
    %32 = call @clip(%arg0, %cst_2, %cst_3) : (tensor<4x5xf64>, tensor<f64>, tensor<f64>) -> tensor<4x5xf64>
    %33 = stablehlo.add %31, %32 : tensor<4x5xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %34 = stablehlo.reduce(%33 init: %cst_4) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x5xf64>, tensor<f64>) -> tensor<f64>
    return %34 : tensor<f64>
  }
  func.func private @hypot(%arg0: tensor<4x5xf64>, %arg1: tensor<4x5xf64>) -> tensor<4x5xf64> {
    %0 = stablehlo.abs %arg0 : tensor<4x5xf64>
    %1 = stablehlo.abs %arg1 : tensor<4x5xf64>
    %cst = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %3 = stablehlo.compare EQ, %0, %2, FLOAT : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xi1>
    %cst_0 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %5 = stablehlo.compare EQ, %1, %4, FLOAT : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xi1>
    %6 = stablehlo.or %3, %5 : tensor<4x5xi1>
    %7 = stablehlo.maximum %0, %1 : tensor<4x5xf64>
    %8 = stablehlo.minimum %0, %1 : tensor<4x5xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %10 = stablehlo.compare EQ, %7, %9, FLOAT : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %12 = stablehlo.compare EQ, %7, %11, FLOAT : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xi1>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %14 = call @_where(%12, %13, %7) : (tensor<4x5xi1>, tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xf64>
    %15 = stablehlo.divide %8, %14 : tensor<4x5xf64>
    %16 = chlo.square %15 : tensor<4x5xf64> -> tensor<4x5xf64>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %17 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %18 = stablehlo.add %17, %16 : tensor<4x5xf64>
    %19 = stablehlo.sqrt %18 : tensor<4x5xf64>
    %20 = stablehlo.multiply %7, %19 : tensor<4x5xf64>
    %21 = call @_where(%10, %7, %20) : (tensor<4x5xi1>, tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xf64>
    %cst_5 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %22 = call @_where_0(%6, %cst_5, %21) : (tensor<4x5xi1>, tensor<f64>, tensor<4x5xf64>) -> tensor<4x5xf64>
    return %22 : tensor<4x5xf64>
  }
  func.func private @_where(%arg0: tensor<4x5xi1>, %arg1: tensor<4x5xf64>, %arg2: tensor<4x5xf64>) -> tensor<4x5xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4x5xi1>, tensor<4x5xf64>
    return %0 : tensor<4x5xf64>
  }
  func.func private @_where_0(%arg0: tensor<4x5xi1>, %arg1: tensor<f64>, %arg2: tensor<4x5xf64>) -> tensor<4x5xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<4x5xi1>, tensor<4x5xf64>
    return %1 : tensor<4x5xf64>
  }
  func.func private @remainder(%arg0: tensor<4x5xf64>, %arg1: tensor<f64>) -> tensor<4x5xf64> {
    %0 = stablehlo.convert %arg1 : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %2 = stablehlo.remainder %arg0, %1 : tensor<4x5xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %4 = stablehlo.compare NE, %2, %3, FLOAT : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %6 = stablehlo.compare LT, %2, %5, FLOAT : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %7 = stablehlo.compare LT, %0, %cst_1, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i1>) -> tensor<4x5xi1>
    %9 = stablehlo.compare NE, %6, %8, UNSIGNED : (tensor<4x5xi1>, tensor<4x5xi1>) -> tensor<4x5xi1>
    %10 = stablehlo.and %9, %4 : tensor<4x5xi1>
    %11 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %12 = stablehlo.add %2, %11 : tensor<4x5xf64>
    %13 = stablehlo.select %10, %12, %2 : tensor<4x5xi1>, tensor<4x5xf64>
    return %13 : tensor<4x5xf64>
  }
  func.func private @sinc(%arg0: tensor<4x5xf64>) -> tensor<4x5xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %1 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xi1>
    %cst_0 = stablehlo.constant dense<3.1415926535897931> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %3 = stablehlo.multiply %2, %arg0 : tensor<4x5xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %4 = call @_where_0(%1, %cst_1, %3) : (tensor<4x5xi1>, tensor<f64>, tensor<4x5xf64>) -> tensor<4x5xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %6 = stablehlo.multiply %3, %5 : tensor<4x5xf64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %8 = stablehlo.add %6, %7 : tensor<4x5xf64>
    %9 = stablehlo.sine %4 : tensor<4x5xf64>
    %10 = stablehlo.divide %9, %4 : tensor<4x5xf64>
    %11 = call @_where(%1, %8, %10) : (tensor<4x5xi1>, tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xf64>
    return %11 : tensor<4x5xf64>
  }
  func.func private @clip(%arg0: tensor<4x5xf64>, %arg1: tensor<f64>, %arg2: tensor<f64>) -> tensor<4x5xf64> {
    %0 = stablehlo.convert %arg1 : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %2 = stablehlo.maximum %1, %arg0 : tensor<4x5xf64>
    %3 = stablehlo.convert %arg2 : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %5 = stablehlo.minimum %4, %2 : tensor<4x5xf64>
    return %5 : tensor<4x5xf64>
  }
}
