// test collectives
// test equal devices=8
// Each device has one of 4 heads, and shifts distances into place for it alone. What heads see is summed up.
module @main {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%x: tensor<2x6x8xf64>, %p.a.query: tensor<8x4x2xf64>, %p.a.key: tensor<8x4x2xf64>, %p.a.value: tensor<8x4x2xf64>, %p.a.out: tensor<4x2x8xf64>, %p.a.position: tensor<8x4x2xf64>, %p.a.content_bias: tensor<4x2xf64>, %p.a.position_bias: tensor<4x2xf64>) -> (tensor<2x6x8xf32> {jax.result_info = "0"}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {?}, {?}]> : tensor<2x6x8xf64>
    %1 = sdy.sharding_constraint %p.a.query <@mesh, [{?}, {"y"}, {?}]> : tensor<8x4x2xf64>
    %2 = sdy.sharding_constraint %p.a.key <@mesh, [{?}, {"y"}, {?}]> : tensor<8x4x2xf64>
    %3 = sdy.sharding_constraint %p.a.value <@mesh, [{?}, {"y"}, {?}]> : tensor<8x4x2xf64>
    %4 = sdy.sharding_constraint %p.a.out <@mesh, [{"y"}, {?}, {?}]> : tensor<4x2x8xf64>
    %5 = sdy.sharding_constraint %p.a.position <@mesh, [{?}, {"y"}, {?}]> : tensor<8x4x2xf64>
    %6 = sdy.sharding_constraint %p.a.content_bias <@mesh, [{"y"}, {?}]> : tensor<4x2xf64>
    %7 = sdy.sharding_constraint %p.a.position_bias <@mesh, [{"y"}, {?}]> : tensor<4x2xf64>
    %8 = stablehlo.dot_general %0, %1, contracting_dims = [2] x [0] : (tensor<2x6x8xf64>, tensor<8x4x2xf64>) -> tensor<2x6x4x2xf64>
    %9 = sdy.sharding_constraint %8 <@mesh, [{"x"}, {?}, {"y"}, {?}]> : tensor<2x6x4x2xf64>
    %10 = stablehlo.dot_general %0, %2, contracting_dims = [2] x [0] : (tensor<2x6x8xf64>, tensor<8x4x2xf64>) -> tensor<2x6x4x2xf64>
    %11 = sdy.sharding_constraint %10 <@mesh, [{"x"}, {?}, {"y"}, {?}]> : tensor<2x6x4x2xf64>
    %12 = stablehlo.dot_general %0, %3, contracting_dims = [2] x [0] : (tensor<2x6x8xf64>, tensor<8x4x2xf64>) -> tensor<2x6x4x2xf64>
    %13 = sdy.sharding_constraint %12 <@mesh, [{"x"}, {?}, {"y"}, {?}]> : tensor<2x6x4x2xf64>
    %14 = stablehlo.broadcast_in_dim %6, dims = [2, 3] : (tensor<4x2xf64>) -> tensor<2x6x4x2xf64>
    %15 = stablehlo.add %9, %14 : tensor<2x6x4x2xf64>
    %16 = stablehlo.dot_general %15, %11, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x6x4x2xf64>, tensor<2x6x4x2xf64>) -> tensor<2x4x6x6xf64>
    %17 = stablehlo.iota dim = 0 : tensor<11xf64>
    %18 = stablehlo.constant dense<5.000000e+00> : tensor<f64>
    %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f64>) -> tensor<11xf64>
    %20 = stablehlo.subtract %19, %17 : tensor<11xf64>
    %21 = stablehlo.reshape %20 : (tensor<11xf64>) -> tensor<11x1xf64>
    %22 = stablehlo.constant dense<[1.000000e+00, 0.046415888336127795, 0.0021544346900318843, 1.000000e-04]> : tensor<4xf64>
    %23 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<11x1xf64>) -> tensor<11x4xf64>
    %24 = stablehlo.broadcast_in_dim %22, dims = [1] : (tensor<4xf64>) -> tensor<11x4xf64>
    %25 = stablehlo.multiply %23, %24 : tensor<11x4xf64>
    %26 = stablehlo.sine %25 : tensor<11x4xf64>
    %27 = stablehlo.cosine %25 : tensor<11x4xf64>
    %28 = stablehlo.concatenate %26, %27, dim = 1 : (tensor<11x4xf64>, tensor<11x4xf64>) -> tensor<11x8xf64>
    %29 = stablehlo.dot_general %28, %5, contracting_dims = [1] x [0] : (tensor<11x8xf64>, tensor<8x4x2xf64>) -> tensor<11x4x2xf64>
    %30 = stablehlo.broadcast_in_dim %7, dims = [2, 3] : (tensor<4x2xf64>) -> tensor<2x6x4x2xf64>
    %31 = stablehlo.add %9, %30 : tensor<2x6x4x2xf64>
    %32 = stablehlo.dot_general %31, %29, batching_dims = [2] x [1], contracting_dims = [3] x [2] : (tensor<2x6x4x2xf64>, tensor<11x4x2xf64>) -> tensor<4x2x6x11xf64>
    %33 = stablehlo.transpose %32, dims = [1, 0, 2, 3] : (tensor<4x2x6x11xf64>) -> tensor<2x4x6x11xf64>
    %34 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %35 = stablehlo.pad %33, %34, low = [0, 0, 0, 0], high = [0, 0, 0, 1], interior = [0, 0, 0, 0] : (tensor<2x4x6x11xf64>, tensor<f64>) -> tensor<2x4x6x12xf64>
    %36 = stablehlo.reshape %35 : (tensor<2x4x6x12xf64>) -> tensor<2x4x72xf64>
    %37 = stablehlo.slice %36 [0:2, 0:4, 5:71] : (tensor<2x4x72xf64>) -> tensor<2x4x66xf64>
    %38 = stablehlo.reshape %37 : (tensor<2x4x66xf64>) -> tensor<2x4x6x11xf64>
    %39 = stablehlo.slice %38 [0:2, 0:4, 0:6, 0:6] : (tensor<2x4x6x11xf64>) -> tensor<2x4x6x6xf64>
    %40 = stablehlo.add %16, %39 : tensor<2x4x6x6xf64>
    %41 = stablehlo.constant dense<1.4142135623730951> : tensor<f64>
    %42 = stablehlo.broadcast_in_dim %41, dims = [] : (tensor<f64>) -> tensor<2x4x6x6xf64>
    %43 = stablehlo.divide %40, %42 : tensor<2x4x6x6xf64>
    %44 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %45 = stablehlo.reduce(%43 init: %44) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x6x6xf64>, tensor<f64>) -> tensor<2x4x6xf64>
    %46 = stablehlo.reshape %45 : (tensor<2x4x6xf64>) -> tensor<2x4x6x1xf64>
    %47 = mhlo.copy %46 {meshwright.stop_gradient} : tensor<2x4x6x1xf64>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2, 3] : (tensor<2x4x6x1xf64>) -> tensor<2x4x6x6xf64>
    %49 = stablehlo.subtract %43, %48 : tensor<2x4x6x6xf64>
    %50 = stablehlo.exponential %49 : tensor<2x4x6x6xf64>
    %51 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %52 = stablehlo.reduce(%50 init: %51) applies stablehlo.add across dimensions = [3] : (tensor<2x4x6x6xf64>, tensor<f64>) -> tensor<2x4x6xf64>
    %53 = stablehlo.reshape %52 : (tensor<2x4x6xf64>) -> tensor<2x4x6x1xf64>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2, 3] : (tensor<2x4x6x1xf64>) -> tensor<2x4x6x6xf64>
    %55 = stablehlo.divide %50, %54 : tensor<2x4x6x6xf64>
    %56 = stablehlo.dot_general %55, %13, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x4x6x6xf64>, tensor<2x6x4x2xf64>) -> tensor<2x4x6x2xf64>
    %57 = stablehlo.transpose %56, dims = [0, 2, 1, 3] : (tensor<2x4x6x2xf64>) -> tensor<2x6x4x2xf64>
    %58 = sdy.sharding_constraint %57 <@mesh, [{"x"}, {?}, {"y"}, {?}]> : tensor<2x6x4x2xf64>
    %59 = stablehlo.dot_general %58, %4, contracting_dims = [2, 3] x [0, 1] : (tensor<2x6x4x2xf64>, tensor<4x2x8xf64>) -> tensor<2x6x8xf64>
    %60 = stablehlo.convert %59 : (tensor<2x6x8xf64>) -> tensor<2x6x8xf32>
    return %60 : tensor<2x6x8xf32>
  }
}
//| --- collectives
//| 1 all-reduce over {"y"}: 576 bytes
//| 1672 flops in contractions
//| --- equal devices=8
