module @jit_complex_functions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7xcomplex<f32>>) -> (tensor<7xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<7xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<7xcomplex<f32>> {jax.result_info = "result[2]"}, tensor<7xcomplex<f32>> {jax.result_info = "result[3]"}, tensor<7xcomplex<f32>> {jax.result_info = "result[4]"}, tensor<7xcomplex<f32>> {jax.result_info = "result[5]"}, tensor<7xcomplex<f32>> {jax.result_info = "result[6]"}, tensor<7xcomplex<f32>> {jax.result_info = "result[7]"}, tensor<7xcomplex<f32>> {jax.result_info = "result[8]"}, tensor<7xcomplex<f32>> {jax.result_info = "result[9]"}, tensor<7xcomplex<f32>> {jax.result_info = "result[10]"}, tensor<7xcomplex<f32>> {jax.result_info = "result[11]"}) {
    %0 = stablehlo.exponential %arg0 : tensor<7xcomplex<f32>>
    %1 = stablehlo.log %arg0 : tensor<7xcomplex<f32>>
    %2 = stablehlo.sqrt %arg0 : tensor<7xcomplex<f32>>
    %3 = stablehlo.rsqrt %arg0 : tensor<7xcomplex<f32>>
    %4 = stablehlo.real %arg0 : (tensor<7xcomplex<f32>>) -> tensor<7xf32>
    %5 = stablehlo.imag %arg0 : (tensor<7xcomplex<f32>>) -> tensor<7xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %7 = stablehlo.compare EQ, %4, %6, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %8 = stablehlo.sine %4 : tensor<7xf32>
    %9 = stablehlo.cosine %4 : tensor<7xf32>
    %10 = stablehlo.exponential_minus_one %5 : tensor<7xf32>
    %11 = stablehlo.negate %5 : tensor<7xf32>
    %12 = stablehlo.exponential_minus_one %11 : tensor<7xf32>
    %13 = stablehlo.subtract %10, %12 : tensor<7xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %15 = stablehlo.divide %13, %14 : tensor<7xf32>
    %16 = stablehlo.add %10, %12 : tensor<7xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %18 = stablehlo.add %16, %17 : tensor<7xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %20 = stablehlo.divide %18, %19 : tensor<7xf32>
    %21 = stablehlo.multiply %8, %20 : tensor<7xf32>
    %22 = stablehlo.multiply %9, %15 : tensor<7xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %24 = stablehlo.complex %23, %22 : tensor<7xcomplex<f32>>
    %25 = stablehlo.complex %21, %22 : tensor<7xcomplex<f32>>
    %26 = stablehlo.select %7, %24, %25 : tensor<7xi1>, tensor<7xcomplex<f32>>
    %27 = stablehlo.real %arg0 : (tensor<7xcomplex<f32>>) -> tensor<7xf32>
    %28 = stablehlo.imag %arg0 : (tensor<7xcomplex<f32>>) -> tensor<7xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %30 = stablehlo.compare EQ, %27, %29, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %31 = stablehlo.sine %27 : tensor<7xf32>
    %32 = stablehlo.cosine %27 : tensor<7xf32>
    %33 = stablehlo.exponential_minus_one %28 : tensor<7xf32>
    %34 = stablehlo.negate %28 : tensor<7xf32>
    %35 = stablehlo.exponential_minus_one %34 : tensor<7xf32>
    %36 = stablehlo.subtract %33, %35 : tensor<7xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %38 = stablehlo.divide %36, %37 : tensor<7xf32>
    %39 = stablehlo.add %33, %35 : tensor<7xf32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %41 = stablehlo.add %39, %40 : tensor<7xf32>
    %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %43 = stablehlo.divide %41, %42 : tensor<7xf32>
    %44 = stablehlo.multiply %32, %43 : tensor<7xf32>
    %45 = stablehlo.negate %31 : tensor<7xf32>
    %46 = stablehlo.multiply %45, %38 : tensor<7xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %48 = stablehlo.complex %44, %47 : tensor<7xcomplex<f32>>
    %49 = stablehlo.complex %44, %46 : tensor<7xcomplex<f32>>
    %50 = stablehlo.select %30, %48, %49 : tensor<7xi1>, tensor<7xcomplex<f32>>
    %51 = stablehlo.tanh %arg0 : tensor<7xcomplex<f32>>
    %52 = stablehlo.log_plus_one %arg0 : tensor<7xcomplex<f32>>
    %53 = stablehlo.exponential_minus_one %arg0 : tensor<7xcomplex<f32>>
    %54 = stablehlo.power %arg0, %arg0 : tensor<7xcomplex<f32>>
    %55 = stablehlo.sign %arg0 : tensor<7xcomplex<f32>>
    %56 = stablehlo.tan %arg0 : tensor<7xcomplex<f32>>
    return %0, %1, %2, %3, %26, %50, %51, %52, %53, %54, %55, %56 : tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>
  }
}
