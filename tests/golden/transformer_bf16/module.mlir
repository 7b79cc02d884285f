module @jit_transformer_bf16 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x8x2x4xf32>, %arg1: tensor<2x4x8xf32>, %arg2: tensor<8x16xf32>, %arg3: tensor<16x8xf32>, %arg4: tensor<2x8xf32>, %arg5: tensor<2x6x8xbf16>) -> (tensor<2x6x8xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<3x8x2x4xf32>) -> tensor<3x8x2x4xbf16>
    %1 = stablehlo.convert %arg1 : (tensor<2x4x8xf32>) -> tensor<2x4x8xbf16>
    %2 = stablehlo.convert %arg2 : (tensor<8x16xf32>) -> tensor<8x16xbf16>
    %3 = stablehlo.convert %arg3 : (tensor<16x8xf32>) -> tensor<16x8xbf16>
    %4 = stablehlo.convert %arg4 : (tensor<2x8xf32>) -> tensor<2x8xbf16>
    %5 = stablehlo.slice %4 [0:1, 0:8] : (tensor<2x8xbf16>) -> tensor<1x8xbf16>
    %6 = stablehlo.reshape %5 : (tensor<1x8xbf16>) -> tensor<8xbf16>
    %7 = stablehlo.multiply %arg5, %arg5 : tensor<2x6x8xbf16>
    %8 = stablehlo.convert %7 : (tensor<2x6x8xbf16>) -> tensor<2x6x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<2x6x1xf32>
    %13 = stablehlo.convert %12 : (tensor<2x6x1xf32>) -> tensor<2x6x1xbf16>
    %cst_1 = stablehlo.constant dense<9.983770e-07> : tensor<bf16>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<2x6x1xbf16>
    %15 = stablehlo.add %13, %14 : tensor<2x6x1xbf16>
    %16 = stablehlo.rsqrt %15 : tensor<2x6x1xbf16>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<2x6x1xbf16>) -> tensor<2x6x8xbf16>
    %18 = stablehlo.multiply %arg5, %17 : tensor<2x6x8xbf16>
    %19 = stablehlo.broadcast_in_dim %6, dims = [2] : (tensor<8xbf16>) -> tensor<1x1x8xbf16>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<1x1x8xbf16>) -> tensor<2x6x8xbf16>
    %21 = stablehlo.multiply %18, %20 : tensor<2x6x8xbf16>
    %22 = stablehlo.dot_general %0, %21, contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x8x2x4xbf16>, tensor<2x6x8xbf16>) -> tensor<3x2x4x2x6xbf16>
    %23 = stablehlo.transpose %22, dims = [0, 3, 4, 1, 2] : (tensor<3x2x4x2x6xbf16>) -> tensor<3x2x6x2x4xbf16>
    %24 = stablehlo.slice %23 [0:1, 0:2, 0:6, 0:2, 0:4] : (tensor<3x2x6x2x4xbf16>) -> tensor<1x2x6x2x4xbf16>
    %25 = stablehlo.reshape %24 : (tensor<1x2x6x2x4xbf16>) -> tensor<2x6x2x4xbf16>
    %26 = stablehlo.slice %23 [1:2, 0:2, 0:6, 0:2, 0:4] : (tensor<3x2x6x2x4xbf16>) -> tensor<1x2x6x2x4xbf16>
    %27 = stablehlo.reshape %26 : (tensor<1x2x6x2x4xbf16>) -> tensor<2x6x2x4xbf16>
    %28 = stablehlo.slice %23 [2:3, 0:2, 0:6, 0:2, 0:4] : (tensor<3x2x6x2x4xbf16>) -> tensor<1x2x6x2x4xbf16>
    %29 = stablehlo.reshape %28 : (tensor<1x2x6x2x4xbf16>) -> tensor<2x6x2x4xbf16>
    %30 = stablehlo.dot_general %25, %27, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x6x2x4xbf16>, tensor<2x6x2x4xbf16>) -> tensor<2x2x6x6xbf16>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<bf16>
    %31 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<2x2x6x6xbf16>
    %32 = stablehlo.divide %30, %31 : tensor<2x2x6x6xbf16>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %33 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %34 = call @tril(%33) : (tensor<6x6xi1>) -> tensor<6x6xi1>
    %cst_3 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %35 = call @_where(%34, %32, %cst_3) : (tensor<6x6xi1>, tensor<2x2x6x6xbf16>, tensor<f32>) -> tensor<2x2x6x6xbf16>
    %cst_4 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %36 = stablehlo.reduce(%35 init: %cst_4) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x6x6xbf16>, tensor<bf16>) -> tensor<2x2x6xbf16>
    %cst_5 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %37 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<bf16>) -> tensor<2x2x6xbf16>
    %38 = stablehlo.maximum %37, %36 : tensor<2x2x6xbf16>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2] : (tensor<2x2x6xbf16>) -> tensor<2x2x6x1xbf16>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2, 3] : (tensor<2x2x6x1xbf16>) -> tensor<2x2x6x6xbf16>
    %41 = stablehlo.subtract %35, %40 : tensor<2x2x6x6xbf16>
    %42 = stablehlo.exponential %41 : tensor<2x2x6x6xbf16>
    %43 = stablehlo.convert %42 : (tensor<2x2x6x6xbf16>) -> tensor<2x2x6x6xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.reduce(%43 init: %cst_6) applies stablehlo.add across dimensions = [3] : (tensor<2x2x6x6xf32>, tensor<f32>) -> tensor<2x2x6xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<2x2x6xf32>) -> tensor<2x2x6x1xf32>
    %46 = stablehlo.convert %45 : (tensor<2x2x6x1xf32>) -> tensor<2x2x6x1xbf16>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3] : (tensor<2x2x6x1xbf16>) -> tensor<2x2x6x6xbf16>
    %48 = stablehlo.divide %42, %47 : tensor<2x2x6x6xbf16>
    %49 = stablehlo.dot_general %29, %48, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x6x2x4xbf16>, tensor<2x2x6x6xbf16>) -> tensor<2x2x4x6xbf16>
    %50 = stablehlo.dot_general %49, %1, contracting_dims = [2, 1] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x6xbf16>, tensor<2x4x8xbf16>) -> tensor<2x6x8xbf16>
    %51 = stablehlo.add %arg5, %50 : tensor<2x6x8xbf16>
    %52 = stablehlo.slice %4 [1:2, 0:8] : (tensor<2x8xbf16>) -> tensor<1x8xbf16>
    %53 = stablehlo.reshape %52 : (tensor<1x8xbf16>) -> tensor<8xbf16>
    %54 = stablehlo.multiply %51, %51 : tensor<2x6x8xbf16>
    %55 = stablehlo.convert %54 : (tensor<2x6x8xbf16>) -> tensor<2x6x8xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56 = stablehlo.reduce(%55 init: %cst_7) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %cst_8 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %59 = stablehlo.divide %57, %58 : tensor<2x6x1xf32>
    %60 = stablehlo.convert %59 : (tensor<2x6x1xf32>) -> tensor<2x6x1xbf16>
    %cst_9 = stablehlo.constant dense<9.983770e-07> : tensor<bf16>
    %61 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<bf16>) -> tensor<2x6x1xbf16>
    %62 = stablehlo.add %60, %61 : tensor<2x6x1xbf16>
    %63 = stablehlo.rsqrt %62 : tensor<2x6x1xbf16>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2] : (tensor<2x6x1xbf16>) -> tensor<2x6x8xbf16>
    %65 = stablehlo.multiply %51, %64 : tensor<2x6x8xbf16>
    %66 = stablehlo.broadcast_in_dim %53, dims = [2] : (tensor<8xbf16>) -> tensor<1x1x8xbf16>
    %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2] : (tensor<1x1x8xbf16>) -> tensor<2x6x8xbf16>
    %68 = stablehlo.multiply %65, %67 : tensor<2x6x8xbf16>
    %69 = stablehlo.dot_general %68, %2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xbf16>, tensor<8x16xbf16>) -> tensor<2x6x16xbf16>
    %70 = stablehlo.multiply %69, %69 : tensor<2x6x16xbf16>
    %71 = stablehlo.multiply %70, %69 : tensor<2x6x16xbf16>
    %cst_10 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %72 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<bf16>) -> tensor<2x6x16xbf16>
    %73 = stablehlo.multiply %72, %71 : tensor<2x6x16xbf16>
    %74 = stablehlo.add %69, %73 : tensor<2x6x16xbf16>
    %cst_11 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %75 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<bf16>) -> tensor<2x6x16xbf16>
    %76 = stablehlo.multiply %75, %74 : tensor<2x6x16xbf16>
    %77 = stablehlo.tanh %76 : tensor<2x6x16xbf16>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %78 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<bf16>) -> tensor<2x6x16xbf16>
    %79 = stablehlo.add %78, %77 : tensor<2x6x16xbf16>
    %cst_13 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %80 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<bf16>) -> tensor<2x6x16xbf16>
    %81 = stablehlo.multiply %80, %79 : tensor<2x6x16xbf16>
    %82 = stablehlo.multiply %69, %81 : tensor<2x6x16xbf16>
    %83 = stablehlo.dot_general %82, %3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x16xbf16>, tensor<16x8xbf16>) -> tensor<2x6x8xbf16>
    %84 = stablehlo.add %51, %83 : tensor<2x6x8xbf16>
    return %84 : tensor<2x6x8xbf16>
  }
  func.func private @tril(%arg0: tensor<6x6xi1>) -> tensor<6x6xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x6xi32>
    %2 = stablehlo.add %0, %1 : tensor<6x6xi32>
    %3 = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<6x6xi1>, tensor<6x6xi1>
    return %6 : tensor<6x6xi1>
  }
  func.func private @_where(%arg0: tensor<6x6xi1>, %arg1: tensor<2x2x6x6xbf16>, %arg2: tensor<f32>) -> tensor<2x2x6x6xbf16> {
    %0 = stablehlo.convert %arg2 : (tensor<f32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<6x6xi1>) -> tensor<2x2x6x6xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<2x2x6x6xbf16>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x6x6xi1>, tensor<2x2x6x6xbf16>
    return %3 : tensor<2x2x6x6xbf16>
  }
}
