module @jit_associative attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x3xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:7:2, 0:3] : (tensor<8x3xf64>) -> tensor<4x3xf64>
    %1 = stablehlo.slice %arg0 [1:8:2, 0:3] : (tensor<8x3xf64>) -> tensor<4x3xf64>
    %2 = stablehlo.multiply %0, %1 : tensor<4x3xf64>
    %cst = stablehlo.constant dense<1.000000e-01> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x3xf64>
    %4 = stablehlo.multiply %3, %0 : tensor<4x3xf64>
    %5 = stablehlo.add %2, %4 : tensor<4x3xf64>
    %6 = stablehlo.slice %5 [0:3:2, 0:3] : (tensor<4x3xf64>) -> tensor<2x3xf64>
    %7 = stablehlo.slice %5 [1:4:2, 0:3] : (tensor<4x3xf64>) -> tensor<2x3xf64>
    %8 = stablehlo.multiply %6, %7 : tensor<2x3xf64>
    %cst_0 = stablehlo.constant dense<1.000000e-01> : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<2x3xf64>
    %10 = stablehlo.multiply %9, %6 : tensor<2x3xf64>
    %11 = stablehlo.add %8, %10 : tensor<2x3xf64>
    %12 = stablehlo.slice %11 [0:1:2, 0:3] : (tensor<2x3xf64>) -> tensor<1x3xf64>
    %13 = stablehlo.slice %11 [1:2:2, 0:3] : (tensor<2x3xf64>) -> tensor<1x3xf64>
    %14 = stablehlo.multiply %12, %13 : tensor<1x3xf64>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f64>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<1x3xf64>
    %16 = stablehlo.multiply %15, %12 : tensor<1x3xf64>
    %17 = stablehlo.add %14, %16 : tensor<1x3xf64>
    %18 = stablehlo.slice %17 [0:0, 0:3] : (tensor<1x3xf64>) -> tensor<0x3xf64>
    %19 = stablehlo.slice %11 [2:2:2, 0:3] : (tensor<2x3xf64>) -> tensor<0x3xf64>
    %20 = stablehlo.multiply %18, %19 : tensor<0x3xf64>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f64>
    %21 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<0x3xf64>
    %22 = stablehlo.multiply %21, %18 : tensor<0x3xf64>
    %23 = stablehlo.add %20, %22 : tensor<0x3xf64>
    %24 = stablehlo.slice %11 [0:1, 0:3] : (tensor<2x3xf64>) -> tensor<1x3xf64>
    %25 = stablehlo.concatenate %24, %23, dim = 0 : (tensor<1x3xf64>, tensor<0x3xf64>) -> tensor<1x3xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %26 = stablehlo.pad %25, %cst_3, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<1x3xf64>, tensor<f64>) -> tensor<2x3xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %27 = stablehlo.pad %17, %cst_4, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<1x3xf64>, tensor<f64>) -> tensor<2x3xf64>
    %28 = stablehlo.add %26, %27 : tensor<2x3xf64>
    %29 = stablehlo.slice %28 [0:1, 0:3] : (tensor<2x3xf64>) -> tensor<1x3xf64>
    %30 = stablehlo.slice %5 [2:4:2, 0:3] : (tensor<4x3xf64>) -> tensor<1x3xf64>
    %31 = stablehlo.multiply %29, %30 : tensor<1x3xf64>
    %cst_5 = stablehlo.constant dense<1.000000e-01> : tensor<f64>
    %32 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<1x3xf64>
    %33 = stablehlo.multiply %32, %29 : tensor<1x3xf64>
    %34 = stablehlo.add %31, %33 : tensor<1x3xf64>
    %35 = stablehlo.slice %5 [0:1, 0:3] : (tensor<4x3xf64>) -> tensor<1x3xf64>
    %36 = stablehlo.concatenate %35, %34, dim = 0 : (tensor<1x3xf64>, tensor<1x3xf64>) -> tensor<2x3xf64>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %37 = stablehlo.pad %36, %cst_6, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<2x3xf64>, tensor<f64>) -> tensor<4x3xf64>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %38 = stablehlo.pad %28, %cst_7, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<2x3xf64>, tensor<f64>) -> tensor<4x3xf64>
    %39 = stablehlo.add %37, %38 : tensor<4x3xf64>
    %40 = stablehlo.slice %39 [0:3, 0:3] : (tensor<4x3xf64>) -> tensor<3x3xf64>
    %41 = stablehlo.slice %arg0 [2:8:2, 0:3] : (tensor<8x3xf64>) -> tensor<3x3xf64>
    %42 = stablehlo.multiply %40, %41 : tensor<3x3xf64>
    %cst_8 = stablehlo.constant dense<1.000000e-01> : tensor<f64>
    %43 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
    %44 = stablehlo.multiply %43, %40 : tensor<3x3xf64>
    %45 = stablehlo.add %42, %44 : tensor<3x3xf64>
    %46 = stablehlo.slice %arg0 [0:1, 0:3] : (tensor<8x3xf64>) -> tensor<1x3xf64>
    %47 = stablehlo.concatenate %46, %45, dim = 0 : (tensor<1x3xf64>, tensor<3x3xf64>) -> tensor<4x3xf64>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %48 = stablehlo.pad %47, %cst_9, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<4x3xf64>, tensor<f64>) -> tensor<8x3xf64>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %49 = stablehlo.pad %39, %cst_10, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<4x3xf64>, tensor<f64>) -> tensor<8x3xf64>
    %50 = stablehlo.add %48, %49 : tensor<8x3xf64>
    %51 = stablehlo.multiply %50, %50 : tensor<8x3xf64>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %52 = stablehlo.reduce(%51 init: %cst_11) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x3xf64>, tensor<f64>) -> tensor<f64>
    return %52 : tensor<f64>
  }
}
