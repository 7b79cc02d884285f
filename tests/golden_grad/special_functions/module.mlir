module @jit_special_functions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x3xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<3.000000e-01> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5x3xf64>
    %1 = stablehlo.multiply %0, %arg0 : tensor<5x3xf64>
    %2 = stablehlo.exponential %1 : tensor<5x3xf64>
    %3 = chlo.lgamma %2 : tensor<5x3xf64> -> tensor<5x3xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<5x3xf64>
    %5 = stablehlo.add %2, %4 : tensor<5x3xf64>
    %6 = chlo.digamma %5 : tensor<5x3xf64> -> tensor<5x3xf64>
    %7 = stablehlo.add %3, %6 : tensor<5x3xf64>
    %8 = chlo.erf %arg0 : tensor<5x3xf64> -> tensor<5x3xf64>
    %9 = stablehlo.add %7, %8 : tensor<5x3xf64>
    %10 = chlo.erfc %arg0 : tensor<5x3xf64> -> tensor<5x3xf64>
    %11 = stablehlo.add %9, %10 : tensor<5x3xf64>
    %12 = stablehlo.negate %arg0 : tensor<5x3xf64>
    %13 = stablehlo.exponential %12 : tensor<5x3xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<5x3xf64>
    %15 = stablehlo.add %14, %13 : tensor<5x3xf64>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %16 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<5x3xf64>
    %17 = stablehlo.divide %16, %15 : tensor<5x3xf64>
    %18 = stablehlo.add %11, %17 : tensor<5x3xf64>
    %19 = stablehlo.tanh %arg0 : tensor<5x3xf64>
    %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %20 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<5x3xf64>
    %21 = stablehlo.multiply %20, %19 : tensor<5x3xf64>
    %22 = chlo.erf_inv %21 : tensor<5x3xf64> -> tensor<5x3xf64>
    %23 = stablehlo.add %18, %22 : tensor<5x3xf64>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %24 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<5x3xf64>
    %25 = chlo.polygamma %24, %2 : tensor<5x3xf64>, tensor<5x3xf64> -> tensor<5x3xf64>
    %26 = stablehlo.add %23, %25 : tensor<5x3xf64>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %27 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<5x3xf64>
    %28 = stablehlo.compare NE, %2, %27, FLOAT : (tensor<5x3xf64>, tensor<5x3xf64>) -> tensor<5x3xi1>
    %29 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<5x3xf64>, tensor<5x3xf64>) -> tensor<5x3xi1>
    %30 = stablehlo.or %28, %29 : tensor<5x3xi1>
    %31 = stablehlo.log %2 : tensor<5x3xf64>
    %32 = stablehlo.multiply %2, %31 : tensor<5x3xf64>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %33 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<5x3xf64>
    %34 = call @_where(%30, %32, %33) : (tensor<5x3xi1>, tensor<5x3xf64>, tensor<5x3xf64>) -> tensor<5x3xf64>
    %35 = stablehlo.add %26, %34 : tensor<5x3xf64>
    %cst_7 = stablehlo.constant dense<2.500000e+00> : tensor<f64>
    %36 = stablehlo.convert %cst_7 : tensor<f64>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<f64>) -> tensor<5x3xf64>
    %38 = chlo.zeta %37, %2 : tensor<5x3xf64>, tensor<5x3xf64> -> tensor<5x3xf64>
    %39 = stablehlo.add %35, %38 : tensor<5x3xf64>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %40 = stablehlo.reduce(%39 init: %cst_8) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x3xf64>, tensor<f64>) -> tensor<f64>
    return %40 : tensor<f64>
  }
  func.func private @_where(%arg0: tensor<5x3xi1>, %arg1: tensor<5x3xf64>, %arg2: tensor<5x3xf64>) -> tensor<5x3xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<5x3xi1>, tensor<5x3xf64>
    return %0 : tensor<5x3xf64>
  }
}
