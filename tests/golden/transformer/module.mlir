module @jit_transformer attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x8x2x4xf32>, %arg1: tensor<2x4x8xf32>, %arg2: tensor<8x16xf32>, %arg3: tensor<16x8xf32>, %arg4: tensor<2x8xf32>, %arg5: tensor<2x6x8xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3x8x2x4xf32> {jax.result_info = "result[1][0]"}, tensor<2x4x8xf32> {jax.result_info = "result[1][1]"}, tensor<8x16xf32> {jax.result_info = "result[1][2]"}, tensor<16x8xf32> {jax.result_info = "result[1][3]"}, tensor<2x8xf32> {jax.result_info = "result[1][4]"}) {
    %0 = stablehlo.slice %arg4 [0:1, 0:8] : (tensor<2x8xf32>) -> tensor<1x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8xf32>) -> tensor<8xf32>
    %2 = stablehlo.multiply %arg5, %arg5 : tensor<2x6x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %6 = stablehlo.divide %4, %5 : tensor<2x6x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %8 = stablehlo.add %6, %7 : tensor<2x6x1xf32>
    %9 = stablehlo.rsqrt %8 : tensor<2x6x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x8xf32>
    %11 = stablehlo.multiply %arg5, %10 : tensor<2x6x8xf32>
    %12 = stablehlo.broadcast_in_dim %1, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %14 = stablehlo.multiply %11, %13 : tensor<2x6x8xf32>
    %15 = stablehlo.dot_general %arg0, %14, contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x8x2x4xf32>, tensor<2x6x8xf32>) -> tensor<3x2x4x2x6xf32>
    %16 = stablehlo.transpose %15, dims = [0, 3, 4, 1, 2] : (tensor<3x2x4x2x6xf32>) -> tensor<3x2x6x2x4xf32>
    %17 = stablehlo.slice %16 [0:1, 0:2, 0:6, 0:2, 0:4] : (tensor<3x2x6x2x4xf32>) -> tensor<1x2x6x2x4xf32>
    %18 = stablehlo.reshape %17 : (tensor<1x2x6x2x4xf32>) -> tensor<2x6x2x4xf32>
    %19 = stablehlo.slice %16 [1:2, 0:2, 0:6, 0:2, 0:4] : (tensor<3x2x6x2x4xf32>) -> tensor<1x2x6x2x4xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x2x6x2x4xf32>) -> tensor<2x6x2x4xf32>
    %21 = stablehlo.slice %16 [2:3, 0:2, 0:6, 0:2, 0:4] : (tensor<3x2x6x2x4xf32>) -> tensor<1x2x6x2x4xf32>
    %22 = stablehlo.reshape %21 : (tensor<1x2x6x2x4xf32>) -> tensor<2x6x2x4xf32>
    %23 = stablehlo.dot_general %18, %20, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x6x2x4xf32>, tensor<2x6x2x4xf32>) -> tensor<2x2x6x6xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x2x6x6xf32>
    %25 = stablehlo.divide %23, %24 : tensor<2x2x6x6xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %26 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %27 = call @tril(%26) : (tensor<6x6xi1>) -> tensor<6x6xi1>
    %cst_3 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %28:3 = call @_where(%27, %25, %cst_3) : (tensor<6x6xi1>, tensor<2x2x6x6xf32>, tensor<f32>) -> (tensor<2x2x6x6xf32>, tensor<2x2x6x6xi1>, tensor<2x2x6x6xf32>)
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %29 = stablehlo.reduce(%28#0 init: %cst_4) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x6x6xf32>, tensor<f32>) -> tensor<2x2x6xf32>
    %30 = stablehlo.reshape %29 : (tensor<2x2x6xf32>) -> tensor<2x2x6x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<2x2x6x1xf32>) -> tensor<2x2x6x6xf32>
    %32 = stablehlo.compare EQ, %28#0, %31, FLOAT : (tensor<2x2x6x6xf32>, tensor<2x2x6x6xf32>) -> tensor<2x2x6x6xi1>
    %33 = stablehlo.convert %32 : (tensor<2x2x6x6xi1>) -> tensor<2x2x6x6xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%33 init: %cst_5) applies stablehlo.add across dimensions = [3] : (tensor<2x2x6x6xf32>, tensor<f32>) -> tensor<2x2x6xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x2x6xf32>
    %36 = stablehlo.maximum %35, %29 : tensor<2x2x6xf32>
    %37 = stablehlo.compare EQ, %29, %36, FLOAT : (tensor<2x2x6xf32>, tensor<2x2x6xf32>) -> tensor<2x2x6xi1>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x2x6xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x2x6xf32>
    %40 = stablehlo.select %37, %38, %39 : tensor<2x2x6xi1>, tensor<2x2x6xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x2x6xf32>
    %42 = stablehlo.compare EQ, %41, %36, FLOAT : (tensor<2x2x6xf32>, tensor<2x2x6xf32>) -> tensor<2x2x6xi1>
    %cst_10 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x2x6xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x2x6xf32>
    %45 = stablehlo.select %42, %43, %44 : tensor<2x2x6xi1>, tensor<2x2x6xf32>
    %46 = stablehlo.divide %40, %45 : tensor<2x2x6xf32>
    %47 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2] : (tensor<2x2x6xf32>) -> tensor<2x2x6x1xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2, 3] : (tensor<2x2x6x1xf32>) -> tensor<2x2x6x6xf32>
    %49 = stablehlo.subtract %28#0, %48 : tensor<2x2x6x6xf32>
    %50 = stablehlo.exponential %49 : tensor<2x2x6x6xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.reduce(%50 init: %cst_12) applies stablehlo.add across dimensions = [3] : (tensor<2x2x6x6xf32>, tensor<f32>) -> tensor<2x2x6xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2] : (tensor<2x2x6xf32>) -> tensor<2x2x6x1xf32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2, 3] : (tensor<2x2x6x1xf32>) -> tensor<2x2x6x6xf32>
    %54 = stablehlo.divide %50, %53 : tensor<2x2x6x6xf32>
    %55 = stablehlo.multiply %52, %52 : tensor<2x2x6x1xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x2x6x1xf32>
    %57 = stablehlo.divide %56, %55 : tensor<2x2x6x1xf32>
    %58 = stablehlo.dot_general %22, %54, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x6x2x4xf32>, tensor<2x2x6x6xf32>) -> tensor<2x2x4x6xf32>
    %59 = stablehlo.dot_general %58, %arg1, contracting_dims = [2, 1] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x6xf32>, tensor<2x4x8xf32>) -> tensor<2x6x8xf32>
    %60 = stablehlo.add %arg5, %59 : tensor<2x6x8xf32>
    %61 = stablehlo.slice %arg4 [1:2, 0:8] : (tensor<2x8xf32>) -> tensor<1x8xf32>
    %62 = stablehlo.reshape %61 : (tensor<1x8xf32>) -> tensor<8xf32>
    %63 = stablehlo.multiply %60, %60 : tensor<2x6x8xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.reduce(%63 init: %cst_14) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %cst_15 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %67 = stablehlo.divide %65, %66 : tensor<2x6x1xf32>
    %cst_16 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %69 = stablehlo.add %67, %68 : tensor<2x6x1xf32>
    %70 = stablehlo.rsqrt %69 : tensor<2x6x1xf32>
    %71 = stablehlo.divide %70, %69 : tensor<2x6x1xf32>
    %cst_17 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %73 = stablehlo.multiply %72, %71 : tensor<2x6x1xf32>
    %74 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x8xf32>
    %75 = stablehlo.multiply %60, %74 : tensor<2x6x8xf32>
    %76 = stablehlo.broadcast_in_dim %62, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %77 = stablehlo.broadcast_in_dim %76, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %78 = stablehlo.multiply %75, %77 : tensor<2x6x8xf32>
    %79 = stablehlo.dot_general %78, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<8x16xf32>) -> tensor<2x6x16xf32>
    %80 = stablehlo.multiply %79, %79 : tensor<2x6x16xf32>
    %81 = stablehlo.multiply %80, %79 : tensor<2x6x16xf32>
    %82 = stablehlo.multiply %79, %79 : tensor<2x6x16xf32>
    %cst_18 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %84 = stablehlo.multiply %83, %82 : tensor<2x6x16xf32>
    %cst_19 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %86 = stablehlo.multiply %85, %81 : tensor<2x6x16xf32>
    %87 = stablehlo.add %79, %86 : tensor<2x6x16xf32>
    %cst_20 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %89 = stablehlo.multiply %88, %87 : tensor<2x6x16xf32>
    %90 = stablehlo.tanh %89 : tensor<2x6x16xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %92 = stablehlo.subtract %91, %90 : tensor<2x6x16xf32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %94 = stablehlo.add %93, %90 : tensor<2x6x16xf32>
    %cst_23 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %96 = stablehlo.multiply %95, %94 : tensor<2x6x16xf32>
    %97 = stablehlo.multiply %79, %96 : tensor<2x6x16xf32>
    %98 = stablehlo.dot_general %97, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x16xf32>, tensor<16x8xf32>) -> tensor<2x6x8xf32>
    %99 = stablehlo.add %60, %98 : tensor<2x6x8xf32>
    %100 = stablehlo.multiply %99, %99 : tensor<2x6x8xf32>
    %cst_24 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<2x6x8xf32>
    %102 = stablehlo.multiply %101, %99 : tensor<2x6x8xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %103 = stablehlo.reduce(%100 init: %cst_25) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_26 = stablehlo.constant dense<9.600000e+01> : tensor<f32>
    %104 = stablehlo.divide %103, %cst_26 : tensor<f32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_28 = stablehlo.constant dense<9.600000e+01> : tensor<f32>
    %105 = stablehlo.divide %cst_27, %cst_28 : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %105, dims = [] : (tensor<f32>) -> tensor<2x6x8xf32>
    %107 = stablehlo.multiply %106, %102 : tensor<2x6x8xf32>
    %108 = stablehlo.dot_general %107, %97, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<2x6x16xf32>) -> tensor<8x16xf32>
    %109 = stablehlo.transpose %108, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %110 = stablehlo.dot_general %107, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<16x8xf32>) -> tensor<2x6x16xf32>
    %111 = stablehlo.multiply %79, %110 : tensor<2x6x16xf32>
    %112 = stablehlo.multiply %110, %96 : tensor<2x6x16xf32>
    %cst_29 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %114 = stablehlo.multiply %113, %111 : tensor<2x6x16xf32>
    %115 = stablehlo.multiply %114, %92 : tensor<2x6x16xf32>
    %116 = stablehlo.multiply %115, %90 : tensor<2x6x16xf32>
    %117 = stablehlo.add %115, %116 : tensor<2x6x16xf32>
    %cst_30 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %118 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %119 = stablehlo.multiply %118, %117 : tensor<2x6x16xf32>
    %120 = stablehlo.add %112, %119 : tensor<2x6x16xf32>
    %cst_31 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %122 = stablehlo.multiply %121, %119 : tensor<2x6x16xf32>
    %123 = stablehlo.multiply %122, %84 : tensor<2x6x16xf32>
    %124 = stablehlo.add %120, %123 : tensor<2x6x16xf32>
    %125 = stablehlo.dot_general %124, %78, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x16xf32>, tensor<2x6x8xf32>) -> tensor<16x8xf32>
    %126 = stablehlo.transpose %125, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %127 = stablehlo.dot_general %124, %arg2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x16xf32>, tensor<8x16xf32>) -> tensor<2x6x8xf32>
    %128 = stablehlo.multiply %75, %127 : tensor<2x6x8xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %129 = stablehlo.reduce(%128 init: %cst_32) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %130 = stablehlo.reshape %129 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %131 = stablehlo.broadcast_in_dim %76, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %132 = stablehlo.multiply %127, %131 : tensor<2x6x8xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %133 = stablehlo.reduce(%130 init: %cst_33) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %134 = stablehlo.multiply %60, %132 : tensor<2x6x8xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %135 = stablehlo.reduce(%134 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %136 = stablehlo.reshape %135 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %137 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x8xf32>
    %138 = stablehlo.multiply %132, %137 : tensor<2x6x8xf32>
    %139 = stablehlo.add %107, %138 : tensor<2x6x8xf32>
    %140 = stablehlo.multiply %136, %73 : tensor<2x6x1xf32>
    %cst_35 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %142 = stablehlo.divide %140, %141 : tensor<2x6x1xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %143 = stablehlo.reduce(%142 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<2x6xf32>
    %144 = stablehlo.broadcast_in_dim %143, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x8xf32>
    %145 = stablehlo.multiply %60, %144 : tensor<2x6x8xf32>
    %146 = stablehlo.add %139, %145 : tensor<2x6x8xf32>
    %147 = stablehlo.multiply %144, %60 : tensor<2x6x8xf32>
    %148 = stablehlo.add %146, %147 : tensor<2x6x8xf32>
    %149 = stablehlo.broadcast_in_dim %133, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %150 = stablehlo.pad %149, %cst_37, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<2x8xf32>
    %151 = stablehlo.dot_general %148, %58, contracting_dims = [0, 1] x [0, 3], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<2x2x4x6xf32>) -> tensor<8x2x4xf32>
    %152 = stablehlo.transpose %151, dims = [1, 2, 0] : (tensor<8x2x4xf32>) -> tensor<2x4x8xf32>
    %153 = stablehlo.dot_general %148, %arg1, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<2x4x8xf32>) -> tensor<2x6x2x4xf32>
    %154 = stablehlo.transpose %153, dims = [0, 2, 3, 1] : (tensor<2x6x2x4xf32>) -> tensor<2x2x4x6xf32>
    %155 = stablehlo.dot_general %154, %22, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x6xf32>, tensor<2x6x2x4xf32>) -> tensor<2x2x6x6xf32>
    %156 = stablehlo.dot_general %154, %54, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x6xf32>, tensor<2x2x6x6xf32>) -> tensor<2x2x4x6xf32>
    %157 = stablehlo.transpose %156, dims = [0, 3, 1, 2] : (tensor<2x2x4x6xf32>) -> tensor<2x6x2x4xf32>
    %158 = stablehlo.broadcast_in_dim %57, dims = [0, 1, 2, 3] : (tensor<2x2x6x1xf32>) -> tensor<2x2x6x6xf32>
    %159 = stablehlo.multiply %155, %158 : tensor<2x2x6x6xf32>
    %160 = stablehlo.multiply %159, %50 : tensor<2x2x6x6xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %161 = stablehlo.reduce(%160 init: %cst_38) applies stablehlo.add across dimensions = [3] : (tensor<2x2x6x6xf32>, tensor<f32>) -> tensor<2x2x6xf32>
    %162 = stablehlo.reshape %161 : (tensor<2x2x6xf32>) -> tensor<2x2x6x1xf32>
    %163 = stablehlo.negate %162 : tensor<2x2x6x1xf32>
    %164 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2, 3] : (tensor<2x2x6x1xf32>) -> tensor<2x2x6x6xf32>
    %165 = stablehlo.divide %155, %164 : tensor<2x2x6x6xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %166 = stablehlo.reduce(%163 init: %cst_39) applies stablehlo.add across dimensions = [3] : (tensor<2x2x6x1xf32>, tensor<f32>) -> tensor<2x2x6xf32>
    %167 = stablehlo.broadcast_in_dim %166, dims = [0, 1, 2] : (tensor<2x2x6xf32>) -> tensor<2x2x6x6xf32>
    %168 = stablehlo.add %165, %167 : tensor<2x2x6x6xf32>
    %169 = stablehlo.multiply %168, %50 : tensor<2x2x6x6xf32>
    %170 = call @_where_0(%28#1, %28#2, %169) : (tensor<2x2x6x6xi1>, tensor<2x2x6x6xf32>, tensor<2x2x6x6xf32>) -> tensor<2x2x6x6xf32>
    %cst_40 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<2x2x6x6xf32>
    %172 = stablehlo.divide %170, %171 : tensor<2x2x6x6xf32>
    %173 = stablehlo.dot_general %172, %18, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x6x6xf32>, tensor<2x6x2x4xf32>) -> tensor<2x2x6x4xf32>
    %174 = stablehlo.transpose %173, dims = [0, 2, 1, 3] : (tensor<2x2x6x4xf32>) -> tensor<2x6x2x4xf32>
    %175 = stablehlo.dot_general %172, %20, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x6x6xf32>, tensor<2x6x2x4xf32>) -> tensor<2x2x6x4xf32>
    %176 = stablehlo.transpose %175, dims = [0, 2, 1, 3] : (tensor<2x2x6x4xf32>) -> tensor<2x6x2x4xf32>
    %177 = stablehlo.broadcast_in_dim %157, dims = [1, 2, 3, 4] : (tensor<2x6x2x4xf32>) -> tensor<1x2x6x2x4xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %178 = stablehlo.pad %177, %cst_41, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x6x2x4xf32>, tensor<f32>) -> tensor<3x2x6x2x4xf32>
    %179 = stablehlo.broadcast_in_dim %174, dims = [1, 2, 3, 4] : (tensor<2x6x2x4xf32>) -> tensor<1x2x6x2x4xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %180 = stablehlo.pad %179, %cst_42, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x6x2x4xf32>, tensor<f32>) -> tensor<3x2x6x2x4xf32>
    %181 = stablehlo.add %178, %180 : tensor<3x2x6x2x4xf32>
    %182 = stablehlo.broadcast_in_dim %176, dims = [1, 2, 3, 4] : (tensor<2x6x2x4xf32>) -> tensor<1x2x6x2x4xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %183 = stablehlo.pad %182, %cst_43, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x6x2x4xf32>, tensor<f32>) -> tensor<3x2x6x2x4xf32>
    %184 = stablehlo.add %181, %183 : tensor<3x2x6x2x4xf32>
    %185 = stablehlo.transpose %184, dims = [0, 3, 4, 1, 2] : (tensor<3x2x6x2x4xf32>) -> tensor<3x2x4x2x6xf32>
    %186 = stablehlo.dot_general %185, %arg0, contracting_dims = [0, 1, 2] x [0, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x4x2x6xf32>, tensor<3x8x2x4xf32>) -> tensor<2x6x8xf32>
    %187 = stablehlo.dot_general %185, %14, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x2x4x2x6xf32>, tensor<2x6x8xf32>) -> tensor<3x2x4x8xf32>
    %188 = stablehlo.transpose %187, dims = [0, 3, 1, 2] : (tensor<3x2x4x8xf32>) -> tensor<3x8x2x4xf32>
    %189 = stablehlo.multiply %11, %186 : tensor<2x6x8xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %190 = stablehlo.reduce(%189 init: %cst_44) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %191 = stablehlo.reshape %190 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %192 = stablehlo.reduce(%191 init: %cst_45) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %193 = stablehlo.broadcast_in_dim %192, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %194 = stablehlo.pad %193, %cst_46, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<2x8xf32>
    %195 = stablehlo.add %150, %194 : tensor<2x8xf32>
    return %104, %188, %152, %126, %109, %195 : tensor<f32>, tensor<3x8x2x4xf32>, tensor<2x4x8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<2x8xf32>
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
  func.func private @_where(%arg0: tensor<6x6xi1>, %arg1: tensor<2x2x6x6xf32>, %arg2: tensor<f32>) -> (tensor<2x2x6x6xf32>, tensor<2x2x6x6xi1>, tensor<2x2x6x6xf32>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<6x6xi1>) -> tensor<2x2x6x6xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x6x6xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x6x6xi1>, tensor<2x2x6x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x6x6xf32>
    return %3, %1, %4 : tensor<2x2x6x6xf32>, tensor<2x2x6x6xi1>, tensor<2x2x6x6xf32>
  }
  func.func private @_where_0(%arg0: tensor<2x2x6x6xi1>, %arg1: tensor<2x2x6x6xf32>, %arg2: tensor<2x2x6x6xf32>) -> tensor<2x2x6x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x6x6xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<2x2x6x6xi1>, tensor<2x2x6x6xf32>
    return %1 : tensor<2x2x6x6xf32>
  }
}
