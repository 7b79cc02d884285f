// test collectives
// test equal devices=8
// The batch is the whole one, on all devices: means of 4 features, then variances, are each summed up over 8 devices
// (2 7/8 32 bytes). 13 rows over 4 devices: the last has one.
module @main {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%x: tensor<2x13x12x4xf64>, %p.n.scale: tensor<4xf64>, %p.n.bias: tensor<4xf64>, %p.n.mean: tensor<4xf64>, %p.n.variance: tensor<4xf64>) -> (tensor<2x13x12x4xf32> {jax.result_info = "0"}, tensor<4xf32> {jax.result_info = "1"}, tensor<4xf32> {jax.result_info = "2"}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {"y"}, {?}, {?}]> : tensor<2x13x12x4xf64>
    %1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x13x12x4xf64>, tensor<f64>) -> tensor<4xf64>
    %3 = stablehlo.constant dense<3.120000e+02> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %5 = stablehlo.divide %2, %4 : tensor<4xf64>
    %6 = stablehlo.broadcast_in_dim %5, dims = [3] : (tensor<4xf64>) -> tensor<2x13x12x4xf64>
    %7 = stablehlo.subtract %0, %6 : tensor<2x13x12x4xf64>
    %8 = stablehlo.multiply %7, %7 : tensor<2x13x12x4xf64>
    %9 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %10 = stablehlo.reduce(%8 init: %9) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x13x12x4xf64>, tensor<f64>) -> tensor<4xf64>
    %11 = stablehlo.constant dense<3.120000e+02> : tensor<f64>
    %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %13 = stablehlo.divide %10, %12 : tensor<4xf64>
    %14 = stablehlo.constant dense<9.000000e-01> : tensor<f64>
    %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %16 = stablehlo.multiply %p.n.mean, %15 : tensor<4xf64>
    %17 = mhlo.copy %5 {meshwright.stop_gradient} : tensor<4xf64>
    %18 = stablehlo.constant dense<0.099999999999999978> : tensor<f64>
    %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %20 = stablehlo.multiply %17, %19 : tensor<4xf64>
    %21 = stablehlo.add %16, %20 : tensor<4xf64>
    %22 = stablehlo.constant dense<1.0032154340836013> : tensor<f64>
    %23 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %24 = stablehlo.multiply %13, %23 : tensor<4xf64>
    %25 = stablehlo.constant dense<9.000000e-01> : tensor<f64>
    %26 = stablehlo.broadcast_in_dim %25, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %27 = stablehlo.multiply %p.n.variance, %26 : tensor<4xf64>
    %28 = mhlo.copy %24 {meshwright.stop_gradient} : tensor<4xf64>
    %29 = stablehlo.constant dense<0.099999999999999978> : tensor<f64>
    %30 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %31 = stablehlo.multiply %28, %30 : tensor<4xf64>
    %32 = stablehlo.add %27, %31 : tensor<4xf64>
    %33 = stablehlo.broadcast_in_dim %5, dims = [3] : (tensor<4xf64>) -> tensor<2x13x12x4xf64>
    %34 = stablehlo.subtract %0, %33 : tensor<2x13x12x4xf64>
    %35 = stablehlo.constant dense<1.000000e-05> : tensor<f64>
    %36 = stablehlo.broadcast_in_dim %35, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %37 = stablehlo.add %13, %36 : tensor<4xf64>
    %38 = stablehlo.rsqrt %37 : tensor<4xf64>
    %39 = stablehlo.multiply %38, %p.n.scale : tensor<4xf64>
    %40 = stablehlo.broadcast_in_dim %39, dims = [3] : (tensor<4xf64>) -> tensor<2x13x12x4xf64>
    %41 = stablehlo.multiply %34, %40 : tensor<2x13x12x4xf64>
    %42 = stablehlo.broadcast_in_dim %p.n.bias, dims = [3] : (tensor<4xf64>) -> tensor<2x13x12x4xf64>
    %43 = stablehlo.add %41, %42 : tensor<2x13x12x4xf64>
    %44 = stablehlo.convert %43 : (tensor<2x13x12x4xf64>) -> tensor<2x13x12x4xf32>
    %45 = stablehlo.convert %21 : (tensor<4xf64>) -> tensor<4xf32>
    %46 = stablehlo.convert %32 : (tensor<4xf64>) -> tensor<4xf32>
    return %44, %45, %46 : tensor<2x13x12x4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
//| --- collectives
//| 2 all-reduce over {"x", "y"}: 112 bytes
//| 0 flops in contractions
//| --- equal devices=8
