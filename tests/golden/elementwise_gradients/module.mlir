module @jit_elementwise_gradients attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf32>, %arg1: tensor<3x4xf32>) -> (tensor<3x4xf32> {jax.result_info = "result[0][0]"}, tensor<3x4xf32> {jax.result_info = "result[0][1]"}, tensor<3x4xf32> {jax.result_info = "result[0][2]"}, tensor<3x4xf32> {jax.result_info = "result[0][3]"}, tensor<3x4xf32> {jax.result_info = "result[0][4]"}, tensor<3x4xf32> {jax.result_info = "result[0][5]"}, tensor<3x4xf32> {jax.result_info = "result[0][6]"}, tensor<3x4xf32> {jax.result_info = "result[0][7]"}, tensor<3x4xf32> {jax.result_info = "result[0][8]"}, tensor<3x4xf32> {jax.result_info = "result[0][9]"}, tensor<3x4xf32> {jax.result_info = "result[0][10]"}, tensor<3x4xf32> {jax.result_info = "result[0][11]"}, tensor<3x4xf32> {jax.result_info = "result[0][12]"}, tensor<3x4xf32> {jax.result_info = "result[0][13]"}, tensor<3x4xf32> {jax.result_info = "result[0][14]"}, tensor<3x4xf32> {jax.result_info = "result[1]"}, tensor<4x4xf32> {jax.result_info = "result[2]"}, tensor<4x4xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.sine %arg1 : tensor<3x4xf32>
    %1 = stablehlo.cosine %arg1 : tensor<3x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %4 = stablehlo.multiply %3, %1 : tensor<3x4xf32>
    %5 = stablehlo.tanh %arg1 : tensor<3x4xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<3x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%5 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %10 = stablehlo.multiply %9, %7 : tensor<3x4xf32>
    %11 = stablehlo.multiply %10, %5 : tensor<3x4xf32>
    %12 = stablehlo.add %10, %11 : tensor<3x4xf32>
    %13 = stablehlo.exponential %arg1 : tensor<3x4xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_4) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %16 = stablehlo.multiply %15, %13 : tensor<3x4xf32>
    %17 = stablehlo.log %arg1 : tensor<3x4xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%17 init: %cst_6) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %20 = stablehlo.divide %19, %arg1 : tensor<3x4xf32>
    %21 = stablehlo.sqrt %arg1 : tensor<3x4xf32>
    %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %23 = stablehlo.divide %22, %21 : tensor<3x4xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.reduce(%21 init: %cst_9) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %26 = stablehlo.multiply %25, %23 : tensor<3x4xf32>
    %27 = stablehlo.rsqrt %arg1 : tensor<3x4xf32>
    %28 = stablehlo.divide %27, %arg1 : tensor<3x4xf32>
    %cst_11 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %30 = stablehlo.multiply %29, %28 : tensor<3x4xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.reduce(%27 init: %cst_12) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %33 = stablehlo.multiply %32, %30 : tensor<3x4xf32>
    %34 = chlo.erf %arg1 : tensor<3x4xf32> -> tensor<3x4xf32>
    %35 = chlo.square %arg1 : tensor<3x4xf32> -> tensor<3x4xf32>
    %36 = stablehlo.negate %35 : tensor<3x4xf32>
    %37 = stablehlo.exponential %36 : tensor<3x4xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%34 init: %cst_14) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %cst_16 = stablehlo.constant dense<1.12837923> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %41 = stablehlo.multiply %40, %39 : tensor<3x4xf32>
    %42 = stablehlo.multiply %41, %37 : tensor<3x4xf32>
    %43 = stablehlo.negate %arg1 : tensor<3x4xf32>
    %44 = stablehlo.exponential %43 : tensor<3x4xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %46 = stablehlo.add %45, %44 : tensor<3x4xf32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %48 = stablehlo.divide %47, %46 : tensor<3x4xf32>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %50 = stablehlo.subtract %49, %48 : tensor<3x4xf32>
    %51 = stablehlo.multiply %48, %50 : tensor<3x4xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.reduce(%48 init: %cst_20) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %54 = stablehlo.multiply %53, %51 : tensor<3x4xf32>
    %55 = chlo.lgamma %arg1 : tensor<3x4xf32> -> tensor<3x4xf32>
    %56 = chlo.digamma %arg1 : tensor<3x4xf32> -> tensor<3x4xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.reduce(%55 init: %cst_22) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %59 = stablehlo.multiply %58, %56 : tensor<3x4xf32>
    %60 = chlo.atan %arg1 : tensor<3x4xf32> -> tensor<3x4xf32>
    %61 = chlo.square %arg1 : tensor<3x4xf32> -> tensor<3x4xf32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %63 = stablehlo.add %62, %61 : tensor<3x4xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.reduce(%60 init: %cst_25) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %66 = stablehlo.divide %65, %63 : tensor<3x4xf32>
    %67 = stablehlo.cbrt %arg1 : tensor<3x4xf32>
    %68 = stablehlo.multiply %67, %67 : tensor<3x4xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %70 = stablehlo.divide %69, %68 : tensor<3x4xf32>
    %cst_28 = stablehlo.constant dense<0.333333343> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %72 = stablehlo.multiply %71, %70 : tensor<3x4xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %73 = stablehlo.reduce(%67 init: %cst_29) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %75 = stablehlo.multiply %74, %72 : tensor<3x4xf32>
    %76 = stablehlo.log_plus_one %arg1 : tensor<3x4xf32>
    %cst_31 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %78 = stablehlo.add %arg1, %77 : tensor<3x4xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %79 = stablehlo.reduce(%76 init: %cst_32) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_33 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %81 = stablehlo.divide %80, %78 : tensor<3x4xf32>
    %82 = chlo.asin %arg1 : tensor<3x4xf32> -> tensor<3x4xf32>
    %83 = chlo.square %arg1 : tensor<3x4xf32> -> tensor<3x4xf32>
    %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %85 = stablehlo.subtract %84, %83 : tensor<3x4xf32>
    %86 = stablehlo.rsqrt %85 : tensor<3x4xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.reduce(%82 init: %cst_35) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_36 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %89 = stablehlo.multiply %88, %86 : tensor<3x4xf32>
    %90 = chlo.erf_inv %arg1 : tensor<3x4xf32> -> tensor<3x4xf32>
    %91 = chlo.square %90 : tensor<3x4xf32> -> tensor<3x4xf32>
    %92 = stablehlo.exponential %91 : tensor<3x4xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %93 = stablehlo.reduce(%90 init: %cst_37) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %cst_39 = stablehlo.constant dense<0.886226952> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %96 = stablehlo.multiply %95, %94 : tensor<3x4xf32>
    %97 = stablehlo.multiply %96, %92 : tensor<3x4xf32>
    %98 = chlo.digamma %arg1 : tensor<3x4xf32> -> tensor<3x4xf32>
    %cst_40 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %100 = chlo.polygamma %99, %arg1 : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %101 = stablehlo.reduce(%98 init: %cst_41) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_42 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %103 = stablehlo.multiply %102, %100 : tensor<3x4xf32>
    %cst_43 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %104 = stablehlo.reduce(%arg0 init: %cst_43) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %105 = stablehlo.reshape %104 : (tensor<f32>) -> tensor<1x1xf32>
    %106 = stablehlo.broadcast_in_dim %105, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<3x4xf32>
    %107 = stablehlo.compare EQ, %arg0, %106, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %108 = stablehlo.convert %107 : (tensor<3x4xi1>) -> tensor<3x4xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %109 = stablehlo.reduce(%108 init: %cst_44) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %110 = stablehlo.reshape %arg0 : (tensor<3x4xf32>) -> tensor<12xf32>
    %111 = stablehlo.slice %110 [0:6] : (tensor<12xf32>) -> tensor<6xf32>
    %112 = stablehlo.slice %110 [6:12] : (tensor<12xf32>) -> tensor<6xf32>
    %113 = stablehlo.multiply %111, %112 : tensor<6xf32>
    %114 = stablehlo.slice %113 [0:3] : (tensor<6xf32>) -> tensor<3xf32>
    %115 = stablehlo.slice %113 [3:6] : (tensor<6xf32>) -> tensor<3xf32>
    %116 = stablehlo.multiply %114, %115 : tensor<3xf32>
    %117 = stablehlo.slice %116 [0:2] : (tensor<3xf32>) -> tensor<2xf32>
    %118 = stablehlo.slice %116 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %119 = stablehlo.pad %118, %cst_45, low = [0], high = [1], interior = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
    %120 = stablehlo.multiply %117, %119 : tensor<2xf32>
    %121 = stablehlo.slice %120 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %122 = stablehlo.slice %120 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %123 = stablehlo.multiply %121, %122 : tensor<1xf32>
    %124 = stablehlo.reshape %123 : (tensor<1xf32>) -> tensor<f32>
    %125 = stablehlo.add %104, %124 : tensor<f32>
    %126:2 = call @norm(%arg0) : (tensor<3x4xf32>) -> (tensor<f32>, tensor<f32>)
    %127 = stablehlo.add %125, %126#0 : tensor<f32>
    %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %128 = call @norm_0(%arg0, %126#1, %cst_46) : (tensor<3x4xf32>, tensor<f32>, tensor<f32>) -> tensor<3x4xf32>
    %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %130 = stablehlo.multiply %121, %129 : tensor<1xf32>
    %131 = stablehlo.multiply %129, %122 : tensor<1xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %132 = stablehlo.pad %130, %cst_48, low = [1], high = [0], interior = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %133 = stablehlo.pad %131, %cst_49, low = [0], high = [1], interior = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
    %134 = stablehlo.add %132, %133 : tensor<2xf32>
    %135 = stablehlo.multiply %117, %134 : tensor<2xf32>
    %136 = stablehlo.multiply %134, %119 : tensor<2xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %137 = stablehlo.pad %135, %cst_50, low = [0], high = [-1], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<1xf32>
    %138 = stablehlo.slice %137 [0:1] : (tensor<1xf32>) -> tensor<1xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %139 = stablehlo.pad %138, %cst_51, low = [2], high = [0], interior = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %140 = stablehlo.pad %136, %cst_52, low = [0], high = [1], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<3xf32>
    %141 = stablehlo.add %139, %140 : tensor<3xf32>
    %142 = stablehlo.multiply %114, %141 : tensor<3xf32>
    %143 = stablehlo.multiply %141, %115 : tensor<3xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %144 = stablehlo.pad %142, %cst_53, low = [3], high = [0], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %145 = stablehlo.pad %143, %cst_54, low = [0], high = [3], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
    %146 = stablehlo.add %144, %145 : tensor<6xf32>
    %147 = stablehlo.multiply %111, %146 : tensor<6xf32>
    %148 = stablehlo.multiply %146, %112 : tensor<6xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %149 = stablehlo.pad %147, %cst_55, low = [6], high = [0], interior = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %150 = stablehlo.pad %148, %cst_56, low = [0], high = [6], interior = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<12xf32>
    %151 = stablehlo.add %149, %150 : tensor<12xf32>
    %152 = stablehlo.reshape %151 : (tensor<12xf32>) -> tensor<3x4xf32>
    %153 = stablehlo.add %128, %152 : tensor<3x4xf32>
    %cst_57 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %154 = stablehlo.divide %cst_57, %109 : tensor<f32>
    %155 = stablehlo.broadcast_in_dim %154, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %156 = stablehlo.multiply %155, %108 : tensor<3x4xf32>
    %157 = stablehlo.add %153, %156 : tensor<3x4xf32>
    %158 = stablehlo.slice %arg0 [0:1, 0:4] : (tensor<3x4xf32>) -> tensor<1x4xf32>
    %159 = stablehlo.reshape %158 : (tensor<1x4xf32>) -> tensor<4xf32>
    %160 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %161 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %162 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %163 = stablehlo.add %160, %162 : tensor<4x4xi32>
    %164 = stablehlo.compare EQ, %163, %161, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %165 = stablehlo.convert %164 : (tensor<4x4xi1>) -> tensor<4x4xf32>
    %166 = stablehlo.slice %165 [0:4, 0:4] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %167 = stablehlo.convert %166 : tensor<4x4xf32>
    %168 = stablehlo.multiply %159, %159 : tensor<4xf32>
    %cst_58 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %169 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %170 = stablehlo.multiply %169, %159 : tensor<4xf32>
    %171 = stablehlo.broadcast_in_dim %170, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %172 = stablehlo.broadcast_in_dim %171, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %173 = stablehlo.multiply %167, %172 : tensor<4x4xf32>
    %174 = stablehlo.reverse %159, dims = [0] : tensor<4xf32>
    %175 = stablehlo.reverse %167, dims = [1] : tensor<4x4xf32>
    %176 = stablehlo.multiply %168, %174 : tensor<4xf32>
    %177 = stablehlo.broadcast_in_dim %174, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %178 = stablehlo.broadcast_in_dim %177, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %179 = stablehlo.multiply %173, %178 : tensor<4x4xf32>
    %180 = stablehlo.broadcast_in_dim %168, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %181 = stablehlo.broadcast_in_dim %180, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %182 = stablehlo.multiply %181, %175 : tensor<4x4xf32>
    %183 = stablehlo.add %179, %182 : tensor<4x4xf32>
    %184 = stablehlo.transpose %183, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %185 = stablehlo.slice %184 [0:4, 0:4] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %186 = stablehlo.slice %arg0 [0:1, 0:4] : (tensor<3x4xf32>) -> tensor<1x4xf32>
    %187 = stablehlo.reshape %186 : (tensor<1x4xf32>) -> tensor<4xf32>
    %188 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %189 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %c_59 = stablehlo.constant dense<0> : tensor<i32>
    %190 = stablehlo.broadcast_in_dim %c_59, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %191 = stablehlo.add %188, %190 : tensor<4x4xi32>
    %192 = stablehlo.compare EQ, %191, %189, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %193 = stablehlo.convert %192 : (tensor<4x4xi1>) -> tensor<4x4xf32>
    %194 = stablehlo.slice %193 [0:4, 0:4] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %195 = stablehlo.convert %194 : tensor<4x4xf32>
    %196 = stablehlo.slice %187 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
    %197 = stablehlo.slice %195 [0:4, 0:3] : (tensor<4x4xf32>) -> tensor<4x3xf32>
    %198 = stablehlo.multiply %196, %196 : tensor<3xf32>
    %cst_60 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %199 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %200 = stablehlo.multiply %199, %196 : tensor<3xf32>
    %201 = stablehlo.broadcast_in_dim %200, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %202 = stablehlo.broadcast_in_dim %201, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<4x3xf32>
    %203 = stablehlo.multiply %197, %202 : tensor<4x3xf32>
    %cst_61 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %204 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %205 = stablehlo.multiply %204, %196 : tensor<3xf32>
    %cst_62 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %206 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %207 = stablehlo.multiply %206, %197 : tensor<4x3xf32>
    %208 = stablehlo.slice %187 [1:4] : (tensor<4xf32>) -> tensor<3xf32>
    %209 = stablehlo.slice %195 [0:4, 1:4] : (tensor<4x4xf32>) -> tensor<4x3xf32>
    %210 = stablehlo.multiply %198, %208 : tensor<3xf32>
    %211 = stablehlo.broadcast_in_dim %208, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %212 = stablehlo.broadcast_in_dim %211, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<4x3xf32>
    %213 = stablehlo.multiply %203, %212 : tensor<4x3xf32>
    %214 = stablehlo.broadcast_in_dim %198, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %215 = stablehlo.broadcast_in_dim %214, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<4x3xf32>
    %216 = stablehlo.multiply %215, %209 : tensor<4x3xf32>
    %217 = stablehlo.add %213, %216 : tensor<4x3xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %218 = stablehlo.reduce(%210 init: %cst_63) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %219 = stablehlo.reduce(%217 init: %cst_64) applies stablehlo.add across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
    %220 = stablehlo.iota dim = 0 : tensor<1x1xi32>
    %221 = stablehlo.iota dim = 1 : tensor<1x1xi32>
    %c_65 = stablehlo.constant dense<0> : tensor<i32>
    %222 = stablehlo.broadcast_in_dim %c_65, dims = [] : (tensor<i32>) -> tensor<1x1xi32>
    %223 = stablehlo.add %220, %222 : tensor<1x1xi32>
    %224 = stablehlo.compare EQ, %223, %221, SIGNED : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi1>
    %225 = stablehlo.convert %224 : (tensor<1x1xi1>) -> tensor<1x1xf32>
    %226 = stablehlo.slice %225 [0:1, 0:1] : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %227 = stablehlo.reshape %226 : (tensor<1x1xf32>) -> tensor<1xf32>
    %228 = stablehlo.convert %227 : tensor<1xf32>
    %229 = stablehlo.broadcast_in_dim %228, dims = [0] : (tensor<1xf32>) -> tensor<1x3xf32>
    %230 = stablehlo.broadcast_in_dim %198, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %231 = stablehlo.broadcast_in_dim %203, dims = [0, 2] : (tensor<4x3xf32>) -> tensor<4x1x3xf32>
    %232 = stablehlo.multiply %230, %229 : tensor<1x3xf32>
    %233 = stablehlo.broadcast_in_dim %229, dims = [1, 2] : (tensor<1x3xf32>) -> tensor<1x1x3xf32>
    %234 = stablehlo.broadcast_in_dim %233, dims = [0, 1, 2] : (tensor<1x1x3xf32>) -> tensor<4x1x3xf32>
    %235 = stablehlo.multiply %231, %234 : tensor<4x1x3xf32>
    %236 = stablehlo.broadcast_in_dim %208, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %237 = stablehlo.broadcast_in_dim %209, dims = [0, 2] : (tensor<4x3xf32>) -> tensor<4x1x3xf32>
    %238 = stablehlo.multiply %229, %236 : tensor<1x3xf32>
    %239 = stablehlo.broadcast_in_dim %229, dims = [1, 2] : (tensor<1x3xf32>) -> tensor<1x1x3xf32>
    %240 = stablehlo.broadcast_in_dim %239, dims = [0, 1, 2] : (tensor<1x1x3xf32>) -> tensor<4x1x3xf32>
    %241 = stablehlo.multiply %240, %237 : tensor<4x1x3xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %242 = stablehlo.pad %232, %cst_66, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<1x3xf32>, tensor<f32>) -> tensor<1x4xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %243 = stablehlo.pad %235, %cst_67, low = [0, 0, 1], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<4x1x3xf32>, tensor<f32>) -> tensor<4x1x4xf32>
    %244 = stablehlo.broadcast_in_dim %205, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %245 = stablehlo.broadcast_in_dim %207, dims = [0, 2] : (tensor<4x3xf32>) -> tensor<4x1x3xf32>
    %246 = stablehlo.multiply %238, %244 : tensor<1x3xf32>
    %247 = stablehlo.broadcast_in_dim %244, dims = [1, 2] : (tensor<1x3xf32>) -> tensor<1x1x3xf32>
    %248 = stablehlo.broadcast_in_dim %247, dims = [0, 1, 2] : (tensor<1x1x3xf32>) -> tensor<4x1x3xf32>
    %249 = stablehlo.multiply %241, %248 : tensor<4x1x3xf32>
    %250 = stablehlo.broadcast_in_dim %238, dims = [1, 2] : (tensor<1x3xf32>) -> tensor<1x1x3xf32>
    %251 = stablehlo.broadcast_in_dim %250, dims = [0, 1, 2] : (tensor<1x1x3xf32>) -> tensor<4x1x3xf32>
    %252 = stablehlo.multiply %251, %245 : tensor<4x1x3xf32>
    %253 = stablehlo.add %249, %252 : tensor<4x1x3xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %254 = stablehlo.pad %246, %cst_68, low = [0, 0], high = [0, 1], interior = [0, 0] : (tensor<1x3xf32>, tensor<f32>) -> tensor<1x4xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %255 = stablehlo.pad %253, %cst_69, low = [0, 0, 0], high = [0, 0, 1], interior = [0, 0, 0] : (tensor<4x1x3xf32>, tensor<f32>) -> tensor<4x1x4xf32>
    %256 = stablehlo.add %242, %254 : tensor<1x4xf32>
    %257 = stablehlo.add %243, %255 : tensor<4x1x4xf32>
    %258 = stablehlo.slice %256 [0:1, 0:4] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %259 = stablehlo.slice %257 [0:4, 0:1, 0:4] : (tensor<4x1x4xf32>) -> tensor<4x1x4xf32>
    %260 = stablehlo.reshape %258 : (tensor<1x4xf32>) -> tensor<4xf32>
    %261 = stablehlo.reshape %259 : (tensor<4x1x4xf32>) -> tensor<4x4xf32>
    %262 = stablehlo.transpose %261, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %263 = stablehlo.slice %262 [0:4, 0:4] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %4, %12, %16, %20, %26, %33, %42, %54, %59, %66, %75, %81, %89, %97, %103, %157, %185, %263 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.func private @norm(%arg0: tensor<3x4xf32>) -> (tensor<f32>, tensor<f32>) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<3x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.sqrt %1 : tensor<f32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %3 = stablehlo.divide %cst_0, %2 : tensor<f32>
    return %2, %3 : tensor<f32>, tensor<f32>
  }
  func.func private @norm_0(%arg0: tensor<3x4xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<3x4xf32> {
    %0 = stablehlo.multiply %arg2, %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %2 = stablehlo.multiply %arg0, %1 : tensor<3x4xf32>
    %3 = stablehlo.multiply %1, %arg0 : tensor<3x4xf32>
    %4 = stablehlo.add %2, %3 : tensor<3x4xf32>
    return %4 : tensor<3x4xf32>
  }
}
