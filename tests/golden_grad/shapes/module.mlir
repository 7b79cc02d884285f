module @jit_shapes attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x7x5xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = call @_flip(%arg0) : (tensor<3x7x5xf64>) -> tensor<3x7x5xf64>
    %1 = call @_roll_static(%arg0) : (tensor<3x7x5xf64>) -> tensor<3x7x5xf64>
    %2 = stablehlo.concatenate %0, %1, dim = 2 : (tensor<3x7x5xf64>, tensor<3x7x5xf64>) -> tensor<3x7x10xf64>
    %3 = stablehlo.slice %2 [0:3, 0:7:2, 1:10] : (tensor<3x7x10xf64>) -> tensor<3x4x9xf64>
    %4 = call @_pad(%3) : (tensor<3x4x9xf64>) -> tensor<4x5x12xf64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 3] : (tensor<4x5x12xf64>) -> tensor<4x5x2x12xf64>
    %6 = stablehlo.reshape %5 : (tensor<4x5x2x12xf64>) -> tensor<4x10x12xf64>
    %7 = stablehlo.reshape %6 : (tensor<4x10x12xf64>) -> tensor<4x120xf64>
    %8 = stablehlo.iota dim = 0 : tensor<480xi64>
    %9 = stablehlo.reshape %8 : (tensor<480xi64>) -> tensor<4x120xi64>
    %10 = stablehlo.convert %9 : (tensor<4x120xi64>) -> tensor<4x120xf64>
    %11 = stablehlo.multiply %7, %10 : tensor<4x120xf64>
    %12 = stablehlo.sine %11 : tensor<4x120xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %13 = stablehlo.reduce(%12 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x120xf64>, tensor<f64>) -> tensor<f64>
    %14 = stablehlo.slice %arg0 [0:1, 0:5, 0:5] : (tensor<3x7x5xf64>) -> tensor<1x5x5xf64>
    %15 = stablehlo.reshape %14 : (tensor<1x5x5xf64>) -> tensor<5x5xf64>
    %16 = call @tril(%15) : (tensor<5x5xf64>) -> tensor<5x5xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %17 = stablehlo.reduce(%16 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x5xf64>, tensor<f64>) -> tensor<f64>
    %18 = stablehlo.multiply %17, %17 : tensor<f64>
    %19 = stablehlo.add %13, %18 : tensor<f64>
    return %19 : tensor<f64>
  }
  func.func private @_flip(%arg0: tensor<3x7x5xf64>) -> tensor<3x7x5xf64> {
    %0 = stablehlo.reverse %arg0, dims = [1] : tensor<3x7x5xf64>
    return %0 : tensor<3x7x5xf64>
  }
  func.func private @_roll_static(%arg0: tensor<3x7x5xf64>) -> tensor<3x7x5xf64> {
    %0 = stablehlo.slice %arg0 [0:3, 5:7, 0:5] : (tensor<3x7x5xf64>) -> tensor<3x2x5xf64>
    %1 = stablehlo.slice %arg0 [0:3, 0:5, 0:5] : (tensor<3x7x5xf64>) -> tensor<3x5x5xf64>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<3x2x5xf64>, tensor<3x5x5xf64>) -> tensor<3x7x5xf64>
    return %2 : tensor<3x7x5xf64>
  }
  func.func private @_pad(%arg0: tensor<3x4x9xf64>) -> tensor<4x5x12xf64> {
    %0 = stablehlo.slice %arg0 [0:1, 0:4, 0:9] : (tensor<3x4x9xf64>) -> tensor<1x4x9xf64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 2, 3] : (tensor<1x4x9xf64>) -> tensor<1x0x4x9xf64>
    %2 = stablehlo.reshape %1 : (tensor<1x0x4x9xf64>) -> tensor<0x4x9xf64>
    %3 = stablehlo.slice %arg0 [2:3, 0:4, 0:9] : (tensor<3x4x9xf64>) -> tensor<1x4x9xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 2, 3] : (tensor<1x4x9xf64>) -> tensor<1x1x4x9xf64>
    %5 = stablehlo.reshape %4 : (tensor<1x1x4x9xf64>) -> tensor<1x4x9xf64>
    %6 = stablehlo.concatenate %2, %arg0, %5, dim = 0 : (tensor<0x4x9xf64>, tensor<3x4x9xf64>, tensor<1x4x9xf64>) -> tensor<4x4x9xf64>
    %7 = stablehlo.slice %6 [0:4, 0:1, 0:9] : (tensor<4x4x9xf64>) -> tensor<4x1x9xf64>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 3] : (tensor<4x1x9xf64>) -> tensor<4x1x1x9xf64>
    %9 = stablehlo.reshape %8 : (tensor<4x1x1x9xf64>) -> tensor<4x1x9xf64>
    %10 = stablehlo.slice %6 [0:4, 3:4, 0:9] : (tensor<4x4x9xf64>) -> tensor<4x1x9xf64>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 3] : (tensor<4x1x9xf64>) -> tensor<4x1x0x9xf64>
    %12 = stablehlo.reshape %11 : (tensor<4x1x0x9xf64>) -> tensor<4x0x9xf64>
    %13 = stablehlo.concatenate %9, %6, %12, dim = 1 : (tensor<4x1x9xf64>, tensor<4x4x9xf64>, tensor<4x0x9xf64>) -> tensor<4x5x9xf64>
    %14 = stablehlo.slice %13 [0:4, 0:5, 0:1] : (tensor<4x5x9xf64>) -> tensor<4x5x1xf64>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<4x5x1xf64>) -> tensor<4x5x1x2xf64>
    %16 = stablehlo.reshape %15 : (tensor<4x5x1x2xf64>) -> tensor<4x5x2xf64>
    %17 = stablehlo.slice %13 [0:4, 0:5, 8:9] : (tensor<4x5x9xf64>) -> tensor<4x5x1xf64>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<4x5x1xf64>) -> tensor<4x5x1x1xf64>
    %19 = stablehlo.reshape %18 : (tensor<4x5x1x1xf64>) -> tensor<4x5x1xf64>
    %20 = stablehlo.concatenate %16, %13, %19, dim = 2 : (tensor<4x5x2xf64>, tensor<4x5x9xf64>, tensor<4x5x1xf64>) -> tensor<4x5x12xf64>
    return %20 : tensor<4x5x12xf64>
  }
  func.func private @tril(%arg0: tensor<5x5xf64>) -> tensor<5x5xf64> {
    %0 = stablehlo.iota dim = 0 : tensor<5x5xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<5x5xi64>
    %2 = stablehlo.add %0, %1 : tensor<5x5xi64>
    %3 = stablehlo.iota dim = 1 : tensor<5x5xi64>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<5x5xi64>, tensor<5x5xi64>) -> tensor<5x5xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5x5xf64>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<5x5xi1>, tensor<5x5xf64>
    return %6 : tensor<5x5xf64>
  }
}
