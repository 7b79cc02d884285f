module @jit_complex_numbers attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x4xcomplex<f64>>, %arg1: tensor<4xcomplex<f64>>, %arg2: tensor<4xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg2 : (tensor<4xf64>) -> tensor<4xcomplex<f64>>
    %cst = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f64>>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f64>>) -> tensor<4xcomplex<f64>>
    %2 = stablehlo.multiply %1, %0 : tensor<4xcomplex<f64>>
    %3 = stablehlo.exponential %2 : tensor<4xcomplex<f64>>
    %4 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %5 = stablehlo.multiply %3, %4 : tensor<4xcomplex<f64>>
    %6 = stablehlo.real %arg1 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %7 = stablehlo.imag %arg1 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %8 = stablehlo.negate %7 : tensor<4xf64>
    %9 = stablehlo.complex %6, %8 : tensor<4xcomplex<f64>>
    %10 = stablehlo.add %5, %9 : tensor<4xcomplex<f64>>
    %11 = stablehlo.abs %10 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %12 = stablehlo.multiply %11, %11 : tensor<4xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %13 = stablehlo.reduce(%12 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    %14 = stablehlo.real %10 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %15 = stablehlo.imag %10 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %16 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %17 = stablehlo.compare EQ, %14, %16, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %18 = stablehlo.sine %14 : tensor<4xf64>
    %19 = stablehlo.cosine %14 : tensor<4xf64>
    %20 = stablehlo.exponential_minus_one %15 : tensor<4xf64>
    %21 = stablehlo.negate %15 : tensor<4xf64>
    %22 = stablehlo.exponential_minus_one %21 : tensor<4xf64>
    %23 = stablehlo.subtract %20, %22 : tensor<4xf64>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %24 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %25 = stablehlo.divide %23, %24 : tensor<4xf64>
    %26 = stablehlo.add %20, %22 : tensor<4xf64>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %27 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %28 = stablehlo.add %26, %27 : tensor<4xf64>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %29 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %30 = stablehlo.divide %28, %29 : tensor<4xf64>
    %31 = stablehlo.multiply %18, %30 : tensor<4xf64>
    %32 = stablehlo.multiply %19, %25 : tensor<4xf64>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %33 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %34 = stablehlo.complex %33, %32 : tensor<4xcomplex<f64>>
    %35 = stablehlo.complex %31, %32 : tensor<4xcomplex<f64>>
    %36 = stablehlo.select %17, %34, %35 : tensor<4xi1>, tensor<4xcomplex<f64>>
    %37 = stablehlo.multiply %10, %10 : tensor<4xcomplex<f64>>
    %cst_6 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %38 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<complex<f64>>) -> tensor<4xcomplex<f64>>
    %39 = stablehlo.add %38, %37 : tensor<4xcomplex<f64>>
    %40 = stablehlo.divide %36, %39 : tensor<4xcomplex<f64>>
    %41 = stablehlo.real %40 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %42 = stablehlo.reduce(%41 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    %43 = stablehlo.add %13, %42 : tensor<f64>
    %44 = call @angle(%10) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %45 = stablehlo.reduce(%44 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    %46 = stablehlo.add %43, %45 : tensor<f64>
    return %46 : tensor<f64>
  }
  func.func private @angle(%arg0: tensor<4xcomplex<f64>>) -> tensor<4xf64> {
    %0 = stablehlo.real %arg0 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %1 = stablehlo.imag %arg0 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %2 = stablehlo.atan2 %1, %0 : tensor<4xf64>
    return %2 : tensor<4xf64>
  }
}
