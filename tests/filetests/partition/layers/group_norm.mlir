// test collectives
// test equal devices=8
// Each example by itself, on the 4 devices of its rows: means, then variances, are summed up. 13 rows over 4 devices.
module @main {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%x: tensor<2x13x12x4xf64>, %p.n.scale: tensor<4xf64>, %p.n.bias: tensor<4xf64>) -> (tensor<2x13x12x4xf32> {jax.result_info = "0"}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {"y"}, {?}, {?}]> : tensor<2x13x12x4xf64>
    %1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x13x12x4xf64>, tensor<f64>) -> tensor<2x4xf64>
    %3 = stablehlo.constant dense<1.560000e+02> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f64>) -> tensor<2x4xf64>
    %5 = stablehlo.divide %2, %4 : tensor<2x4xf64>
    %6 = stablehlo.reshape %5 : (tensor<2x4xf64>) -> tensor<2x1x1x4xf64>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2, 3] : (tensor<2x1x1x4xf64>) -> tensor<2x13x12x4xf64>
    %8 = stablehlo.subtract %0, %7 : tensor<2x13x12x4xf64>
    %9 = stablehlo.multiply %8, %8 : tensor<2x13x12x4xf64>
    %10 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %11 = stablehlo.reduce(%9 init: %10) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x13x12x4xf64>, tensor<f64>) -> tensor<2x4xf64>
    %12 = stablehlo.constant dense<1.560000e+02> : tensor<f64>
    %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<f64>) -> tensor<2x4xf64>
    %14 = stablehlo.divide %11, %13 : tensor<2x4xf64>
    %15 = stablehlo.reshape %14 : (tensor<2x4xf64>) -> tensor<2x1x1x4xf64>
    %16 = stablehlo.reshape %6 : (tensor<2x1x1x4xf64>) -> tensor<2x2x2xf64>
    %17 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %18 = stablehlo.reduce(%16 init: %17) applies stablehlo.add across dimensions = [2] : (tensor<2x2x2xf64>, tensor<f64>) -> tensor<2x2xf64>
    %19 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %20 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<f64>) -> tensor<2x2xf64>
    %21 = stablehlo.divide %18, %20 : tensor<2x2xf64>
    %22 = stablehlo.reshape %21 : (tensor<2x2xf64>) -> tensor<2x2x1xf64>
    %23 = stablehlo.reshape %15 : (tensor<2x1x1x4xf64>) -> tensor<2x2x2xf64>
    %24 = stablehlo.reshape %6 : (tensor<2x1x1x4xf64>) -> tensor<2x2x2xf64>
    %25 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<2x2x1xf64>) -> tensor<2x2x2xf64>
    %26 = stablehlo.subtract %24, %25 : tensor<2x2x2xf64>
    %27 = stablehlo.multiply %26, %26 : tensor<2x2x2xf64>
    %28 = stablehlo.add %23, %27 : tensor<2x2x2xf64>
    %29 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %30 = stablehlo.reduce(%28 init: %29) applies stablehlo.add across dimensions = [2] : (tensor<2x2x2xf64>, tensor<f64>) -> tensor<2x2xf64>
    %31 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %32 = stablehlo.broadcast_in_dim %31, dims = [] : (tensor<f64>) -> tensor<2x2xf64>
    %33 = stablehlo.divide %30, %32 : tensor<2x2xf64>
    %34 = stablehlo.reshape %33 : (tensor<2x2xf64>) -> tensor<2x2x1xf64>
    %35 = stablehlo.constant dense<1.000000e-05> : tensor<f64>
    %36 = stablehlo.broadcast_in_dim %35, dims = [] : (tensor<f64>) -> tensor<2x2x1xf64>
    %37 = stablehlo.add %34, %36 : tensor<2x2x1xf64>
    %38 = stablehlo.rsqrt %37 : tensor<2x2x1xf64>
    %39 = stablehlo.reshape %6 : (tensor<2x1x1x4xf64>) -> tensor<2x2x2xf64>
    %40 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2] : (tensor<2x2x1xf64>) -> tensor<2x2x2xf64>
    %41 = stablehlo.reshape %40 : (tensor<2x2x2xf64>) -> tensor<2x1x1x4xf64>
    %42 = stablehlo.broadcast_in_dim %p.n.scale, dims = [3] : (tensor<4xf64>) -> tensor<2x1x1x4xf64>
    %43 = stablehlo.multiply %41, %42 : tensor<2x1x1x4xf64>
    %44 = stablehlo.reshape %6 : (tensor<2x1x1x4xf64>) -> tensor<2x2x2xf64>
    %45 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<2x2x1xf64>) -> tensor<2x2x2xf64>
    %46 = stablehlo.reshape %45 : (tensor<2x2x2xf64>) -> tensor<2x1x1x4xf64>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3] : (tensor<2x1x1x4xf64>) -> tensor<2x13x12x4xf64>
    %48 = stablehlo.subtract %0, %47 : tensor<2x13x12x4xf64>
    %49 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2, 3] : (tensor<2x1x1x4xf64>) -> tensor<2x13x12x4xf64>
    %50 = stablehlo.multiply %48, %49 : tensor<2x13x12x4xf64>
    %51 = stablehlo.broadcast_in_dim %p.n.bias, dims = [3] : (tensor<4xf64>) -> tensor<2x13x12x4xf64>
    %52 = stablehlo.add %50, %51 : tensor<2x13x12x4xf64>
    %53 = stablehlo.convert %52 : (tensor<2x13x12x4xf64>) -> tensor<2x13x12x4xf32>
    return %53 : tensor<2x13x12x4xf32>
  }
}
//| --- collectives
//| 2 all-reduce over {"y"}: 72 bytes
//| 0 flops in contractions
//| --- equal devices=8
