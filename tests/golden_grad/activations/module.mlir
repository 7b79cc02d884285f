module @jit_activations attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x9xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<4x9xf64>
    %1 = stablehlo.multiply %0, %arg0 : tensor<4x9xf64>
    %cst = stablehlo.constant dense<4.471500e-02> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %3 = stablehlo.multiply %2, %1 : tensor<4x9xf64>
    %4 = stablehlo.add %arg0, %3 : tensor<4x9xf64>
    %cst_0 = stablehlo.constant dense<0.79788456080286541> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %6 = stablehlo.multiply %5, %4 : tensor<4x9xf64>
    %7 = stablehlo.tanh %6 : tensor<4x9xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %9 = stablehlo.add %8, %7 : tensor<4x9xf64>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %11 = stablehlo.multiply %10, %9 : tensor<4x9xf64>
    %12 = stablehlo.multiply %arg0, %11 : tensor<4x9xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %13 = stablehlo.reduce(%12 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x9xf64>, tensor<f64>) -> tensor<f64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %14 = stablehlo.add %cst_4, %13 : tensor<f64>
    %15 = call @softplus(%arg0) : (tensor<4x9xf64>) -> tensor<4x9xf64>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %16 = stablehlo.reduce(%15 init: %cst_5) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x9xf64>, tensor<f64>) -> tensor<f64>
    %17 = stablehlo.add %14, %16 : tensor<f64>
    %18 = call @elu(%arg0) : (tensor<4x9xf64>) -> tensor<4x9xf64>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %19 = stablehlo.reduce(%18 init: %cst_6) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x9xf64>, tensor<f64>) -> tensor<f64>
    %20 = stablehlo.add %17, %19 : tensor<f64>
    %21 = call @selu(%arg0) : (tensor<4x9xf64>) -> tensor<4x9xf64>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %22 = stablehlo.reduce(%21 init: %cst_7) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x9xf64>, tensor<f64>) -> tensor<f64>
    %23 = stablehlo.add %20, %22 : tensor<f64>
    %24 = stablehlo.negate %arg0 : tensor<4x9xf64>
    %25 = stablehlo.exponential %24 : tensor<4x9xf64>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %27 = stablehlo.add %26, %25 : tensor<4x9xf64>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %28 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %29 = stablehlo.divide %28, %27 : tensor<4x9xf64>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %30 = stablehlo.reduce(%29 init: %cst_10) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x9xf64>, tensor<f64>) -> tensor<f64>
    %31 = stablehlo.add %23, %30 : tensor<f64>
    %32 = call @mish(%arg0) : (tensor<4x9xf64>) -> tensor<4x9xf64>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %33 = stablehlo.reduce(%32 init: %cst_11) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x9xf64>, tensor<f64>) -> tensor<f64>
    %34 = stablehlo.add %31, %33 : tensor<f64>
    %35 = call @hard_tanh(%arg0) : (tensor<4x9xf64>) -> tensor<4x9xf64>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %36 = stablehlo.reduce(%35 init: %cst_12) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x9xf64>, tensor<f64>) -> tensor<f64>
    %37 = stablehlo.add %34, %36 : tensor<f64>
    %38 = call @leaky_relu(%arg0) : (tensor<4x9xf64>) -> tensor<4x9xf64>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %39 = stablehlo.reduce(%38 init: %cst_13) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x9xf64>, tensor<f64>) -> tensor<f64>
    %40 = stablehlo.add %37, %39 : tensor<f64>
    %41 = call @relu(%arg0) : (tensor<4x9xf64>) -> tensor<4x9xf64>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %42 = stablehlo.reduce(%41 init: %cst_14) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x9xf64>, tensor<f64>) -> tensor<f64>
    %43 = stablehlo.add %40, %42 : tensor<f64>
    %44 = call @log_sigmoid(%arg0) : (tensor<4x9xf64>) -> tensor<4x9xf64>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %45 = stablehlo.reduce(%44 init: %cst_15) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x9xf64>, tensor<f64>) -> tensor<f64>
    %46 = stablehlo.add %43, %45 : tensor<f64>
    return %46 : tensor<f64>
  }
  func.func private @softplus(%arg0: tensor<4x9xf64>) -> tensor<4x9xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x9xf64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %3 = stablehlo.subtract %arg0, %2 : tensor<4x9xf64>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<4x9xf64>, tensor<4x9xf64>) -> tensor<4x9xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %6 = stablehlo.add %arg0, %5 : tensor<4x9xf64>
    %7 = stablehlo.abs %3 : tensor<4x9xf64>
    %8 = stablehlo.negate %7 : tensor<4x9xf64>
    %9 = stablehlo.exponential %8 : tensor<4x9xf64>
    %10 = stablehlo.log_plus_one %9 : tensor<4x9xf64>
    %11 = stablehlo.add %1, %10 : tensor<4x9xf64>
    %12 = stablehlo.select %4, %6, %11 : tensor<4x9xi1>, tensor<4x9xf64>
    return %12 : tensor<4x9xf64>
  }
  func.func private @elu(%arg0: tensor<4x9xf64>) -> tensor<4x9xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<4x9xf64>, tensor<4x9xf64>) -> tensor<4x9xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<4x9xf64>, tensor<4x9xf64>) -> tensor<4x9xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %4 = call @_where(%3, %cst_1, %arg0) : (tensor<4x9xi1>, tensor<f64>, tensor<4x9xf64>) -> tensor<4x9xf64>
    %5 = stablehlo.exponential_minus_one %4 : tensor<4x9xf64>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %7 = stablehlo.multiply %6, %5 : tensor<4x9xf64>
    %8 = call @_where_0(%1, %arg0, %7) : (tensor<4x9xi1>, tensor<4x9xf64>, tensor<4x9xf64>) -> tensor<4x9xf64>
    return %8 : tensor<4x9xf64>
  }
  func.func private @_where(%arg0: tensor<4x9xi1>, %arg1: tensor<f64>, %arg2: tensor<4x9xf64>) -> tensor<4x9xf64> {
    %0 = stablehlo.convert %arg1 : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<4x9xi1>, tensor<4x9xf64>
    return %2 : tensor<4x9xf64>
  }
  func.func private @_where_0(%arg0: tensor<4x9xi1>, %arg1: tensor<4x9xf64>, %arg2: tensor<4x9xf64>) -> tensor<4x9xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4x9xi1>, tensor<4x9xf64>
    return %0 : tensor<4x9xf64>
  }
  func.func private @selu(%arg0: tensor<4x9xf64>) -> tensor<4x9xf64> {
    %cst = stablehlo.constant dense<1.6732632423543772> : tensor<f64>
    %0 = call @elu_1(%arg0, %cst) : (tensor<4x9xf64>, tensor<f64>) -> tensor<4x9xf64>
    %cst_0 = stablehlo.constant dense<1.0507009873554805> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %2 = stablehlo.multiply %1, %0 : tensor<4x9xf64>
    return %2 : tensor<4x9xf64>
  }
  func.func private @elu_1(%arg0: tensor<4x9xf64>, %arg1: tensor<f64>) -> tensor<4x9xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<4x9xf64>, tensor<4x9xf64>) -> tensor<4x9xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<4x9xf64>, tensor<4x9xf64>) -> tensor<4x9xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %4 = call @_where(%3, %cst_1, %arg0) : (tensor<4x9xi1>, tensor<f64>, tensor<4x9xf64>) -> tensor<4x9xf64>
    %5 = stablehlo.exponential_minus_one %4 : tensor<4x9xf64>
    %6 = stablehlo.convert %arg1 : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %8 = stablehlo.multiply %7, %5 : tensor<4x9xf64>
    %9 = call @_where_0(%1, %arg0, %8) : (tensor<4x9xi1>, tensor<4x9xf64>, tensor<4x9xf64>) -> tensor<4x9xf64>
    return %9 : tensor<4x9xf64>
  }
  func.func private @mish(%arg0: tensor<4x9xf64>) -> tensor<4x9xf64> {
    %0 = call @softplus(%arg0) : (tensor<4x9xf64>) -> tensor<4x9xf64>
    %1 = stablehlo.tanh %0 : tensor<4x9xf64>
    %2 = stablehlo.multiply %arg0, %1 : tensor<4x9xf64>
    return %2 : tensor<4x9xf64>
  }
  func.func private @hard_tanh(%arg0: tensor<4x9xf64>) -> tensor<4x9xf64> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<4x9xf64>, tensor<4x9xf64>) -> tensor<4x9xi1>
    %cst_0 = stablehlo.constant dense<-1.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %3 = stablehlo.compare LT, %arg0, %2, FLOAT : (tensor<4x9xf64>, tensor<4x9xf64>) -> tensor<4x9xi1>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = call @_where_2(%3, %c, %arg0) : (tensor<4x9xi1>, tensor<i64>, tensor<4x9xf64>) -> tensor<4x9xf64>
    %c_1 = stablehlo.constant dense<1> : tensor<i64>
    %5 = call @_where_2(%1, %c_1, %4) : (tensor<4x9xi1>, tensor<i64>, tensor<4x9xf64>) -> tensor<4x9xf64>
    return %5 : tensor<4x9xf64>
  }
  func.func private @_where_2(%arg0: tensor<4x9xi1>, %arg1: tensor<i64>, %arg2: tensor<4x9xf64>) -> tensor<4x9xf64> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<4x9xi1>, tensor<4x9xf64>
    return %2 : tensor<4x9xf64>
  }
  func.func private @leaky_relu(%arg0: tensor<4x9xf64>) -> tensor<4x9xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %1 = stablehlo.compare GE, %arg0, %0, FLOAT : (tensor<4x9xf64>, tensor<4x9xf64>) -> tensor<4x9xi1>
    %cst_0 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %3 = stablehlo.multiply %2, %arg0 : tensor<4x9xf64>
    %4 = call @_where_0(%1, %arg0, %3) : (tensor<4x9xi1>, tensor<4x9xf64>, tensor<4x9xf64>) -> tensor<4x9xf64>
    return %4 : tensor<4x9xf64>
  }
  func.func private @relu(%arg0: tensor<4x9xf64>) -> tensor<4x9xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x9xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x9xf64>
    return %1 : tensor<4x9xf64>
  }
  func.func private @log_sigmoid(%arg0: tensor<4x9xf64>) -> tensor<4x9xf64> {
    %0 = stablehlo.negate %arg0 : tensor<4x9xf64>
    %1 = call @softplus(%0) : (tensor<4x9xf64>) -> tensor<4x9xf64>
    %2 = stablehlo.negate %1 : tensor<4x9xf64>
    return %2 : tensor<4x9xf64>
  }
}
