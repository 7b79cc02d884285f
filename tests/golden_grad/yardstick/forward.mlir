module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=1, "y"=1]> {stablehlo.mesh = {axes = [{name = "x", size = 1 : i64}, {name = "y", size = 1 : i64}]}}
  func.func public @main(%arg0: tensor<32xf32>, %arg1: tensor<32xf32>, %arg2: tensor<2x16x32xf32>, %arg3: tensor<3x32x2x16xf32>, %arg4: tensor<32x64xf32>, %arg5: tensor<64x32xf32>, %arg6: tensor<32xf32>, %arg7: tensor<32xf32>, %arg8: tensor<2x16x32xf32>, %arg9: tensor<3x32x2x16xf32>, %arg10: tensor<32x4xf32>, %arg11: tensor<4x32x64xf32>, %arg12: tensor<4x64x32xf32>, %arg13: tensor<64x32xf32>, %arg14: tensor<4x16xi32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x16xi32>
    %1 = stablehlo.compare LT, %arg14, %0, SIGNED : (tensor<4x16xi32>, tensor<4x16xi32>) -> tensor<4x16xi1>
    %c_0 = stablehlo.constant dense<64> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4x16xi32>
    %3 = stablehlo.add %arg14, %2 : tensor<4x16xi32>
    %4 = stablehlo.select %1, %3, %arg14 : tensor<4x16xi1>, tensor<4x16xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<4x16xi32>) -> tensor<4x16x1xi32>
    %6 = "stablehlo.gather"(%arg13, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32>}> : (tensor<64x32xf32>, tensor<4x16x1xi32>) -> tensor<4x16x32xf32>
    %7 = sdy.sharding_constraint %6 <@mesh, [{"x"}, {}, {}]> : tensor<4x16x32xf32>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<16x16xi1>
    %9 = call @tril(%8) : (tensor<16x16xi1>) -> tensor<16x16xi1>
    %10 = stablehlo.multiply %7, %7 : tensor<4x16x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x16xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %cst_2 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %14 = stablehlo.divide %12, %13 : tensor<4x16x1xf32>
    %cst_3 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %16 = stablehlo.add %14, %15 : tensor<4x16x1xf32>
    %17 = stablehlo.rsqrt %16 : tensor<4x16x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x32xf32>
    %19 = stablehlo.multiply %7, %18 : tensor<4x16x32xf32>
    %20 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<4x16x32xf32>
    %22 = stablehlo.multiply %19, %21 : tensor<4x16x32xf32>
    %23 = stablehlo.dot_general %arg3, %22, contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x32x2x16xf32>, tensor<4x16x32xf32>) -> tensor<3x2x16x4x16xf32>
    %24 = stablehlo.transpose %23, dims = [0, 3, 4, 1, 2] : (tensor<3x2x16x4x16xf32>) -> tensor<3x4x16x2x16xf32>
    %25 = stablehlo.slice %24 [0:1, 0:4, 0:16, 0:2, 0:16] : (tensor<3x4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %26 = stablehlo.reshape %25 : (tensor<1x4x16x2x16xf32>) -> tensor<4x16x2x16xf32>
    %27 = stablehlo.slice %24 [1:2, 0:4, 0:16, 0:2, 0:16] : (tensor<3x4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %28 = stablehlo.reshape %27 : (tensor<1x4x16x2x16xf32>) -> tensor<4x16x2x16xf32>
    %29 = stablehlo.slice %24 [2:3, 0:4, 0:16, 0:2, 0:16] : (tensor<3x4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %30 = stablehlo.reshape %29 : (tensor<1x4x16x2x16xf32>) -> tensor<4x16x2x16xf32>
    %31 = stablehlo.dot_general %26, %28, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x16xf32>, tensor<4x16x2x16xf32>) -> tensor<4x2x16x16xf32>
    %cst_4 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x2x16x16xf32>
    %33 = stablehlo.divide %31, %32 : tensor<4x2x16x16xf32>
    %cst_5 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %34 = call @_where(%9, %33, %cst_5) : (tensor<16x16xi1>, tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16x16xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %35 = stablehlo.reduce(%34 init: %cst_6) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x2x16xf32>
    %37 = stablehlo.maximum %36, %35 : tensor<4x2x16xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1, 2] : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %39 = stablehlo.reduce_precision %38, format = e8m23 : tensor<4x2x16x1xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %41 = stablehlo.subtract %34, %40 : tensor<4x2x16x16xf32>
    %42 = stablehlo.exponential %41 : tensor<4x2x16x16xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.reduce(%42 init: %cst_8) applies stablehlo.add across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2] : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %46 = stablehlo.divide %42, %45 : tensor<4x2x16x16xf32>
    %47 = stablehlo.dot_general %30, %46, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x16xf32>, tensor<4x2x16x16xf32>) -> tensor<4x2x16x16xf32>
    %48 = stablehlo.transpose %47, dims = [0, 3, 1, 2] : (tensor<4x2x16x16xf32>) -> tensor<4x16x2x16xf32>
    %49 = sdy.sharding_constraint %48 <@mesh, [{"x"}, {}, {"y"}, {}]> : tensor<4x16x2x16xf32>
    %50 = stablehlo.dot_general %49, %arg2, contracting_dims = [3, 2] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x16xf32>, tensor<2x16x32xf32>) -> tensor<4x16x32xf32>
    %51 = stablehlo.add %7, %50 : tensor<4x16x32xf32>
    %52 = sdy.sharding_constraint %51 <@mesh, [{"x"}, {}, {}]> : tensor<4x16x32xf32>
    %53 = stablehlo.multiply %52, %52 : tensor<4x16x32xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.reduce(%53 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x16xf32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %cst_10 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %57 = stablehlo.divide %55, %56 : tensor<4x16x1xf32>
    %cst_11 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %59 = stablehlo.add %57, %58 : tensor<4x16x1xf32>
    %60 = stablehlo.rsqrt %59 : tensor<4x16x1xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x32xf32>
    %62 = stablehlo.multiply %52, %61 : tensor<4x16x32xf32>
    %63 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<4x16x32xf32>
    %65 = stablehlo.multiply %62, %64 : tensor<4x16x32xf32>
    %66 = stablehlo.dot_general %65, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<32x64xf32>) -> tensor<4x16x64xf32>
    %67 = call @relu(%66) : (tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
    %68 = sdy.sharding_constraint %67 <@mesh, [{"x"}, {}, {"y"}]> : tensor<4x16x64xf32>
    %69 = stablehlo.dot_general %68, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x64xf32>, tensor<64x32xf32>) -> tensor<4x16x32xf32>
    %70 = stablehlo.add %52, %69 : tensor<4x16x32xf32>
    %71 = sdy.sharding_constraint %70 <@mesh, [{"x"}, {}, {}]> : tensor<4x16x32xf32>
    %72 = stablehlo.multiply %71, %71 : tensor<4x16x32xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %73 = stablehlo.reduce(%72 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x16xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %cst_13 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %76 = stablehlo.divide %74, %75 : tensor<4x16x1xf32>
    %cst_14 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %78 = stablehlo.add %76, %77 : tensor<4x16x1xf32>
    %79 = stablehlo.rsqrt %78 : tensor<4x16x1xf32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x32xf32>
    %81 = stablehlo.multiply %71, %80 : tensor<4x16x32xf32>
    %82 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %83 = stablehlo.broadcast_in_dim %82, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<4x16x32xf32>
    %84 = stablehlo.multiply %81, %83 : tensor<4x16x32xf32>
    %85 = stablehlo.dot_general %arg9, %84, contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x32x2x16xf32>, tensor<4x16x32xf32>) -> tensor<3x2x16x4x16xf32>
    %86 = stablehlo.transpose %85, dims = [0, 3, 4, 1, 2] : (tensor<3x2x16x4x16xf32>) -> tensor<3x4x16x2x16xf32>
    %87 = stablehlo.slice %86 [0:1, 0:4, 0:16, 0:2, 0:16] : (tensor<3x4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %88 = stablehlo.reshape %87 : (tensor<1x4x16x2x16xf32>) -> tensor<4x16x2x16xf32>
    %89 = stablehlo.slice %86 [1:2, 0:4, 0:16, 0:2, 0:16] : (tensor<3x4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %90 = stablehlo.reshape %89 : (tensor<1x4x16x2x16xf32>) -> tensor<4x16x2x16xf32>
    %91 = stablehlo.slice %86 [2:3, 0:4, 0:16, 0:2, 0:16] : (tensor<3x4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %92 = stablehlo.reshape %91 : (tensor<1x4x16x2x16xf32>) -> tensor<4x16x2x16xf32>
    %93 = stablehlo.dot_general %88, %90, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x16xf32>, tensor<4x16x2x16xf32>) -> tensor<4x2x16x16xf32>
    %cst_15 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4x2x16x16xf32>
    %95 = stablehlo.divide %93, %94 : tensor<4x2x16x16xf32>
    %cst_16 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %96 = call @_where(%9, %95, %cst_16) : (tensor<16x16xi1>, tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16x16xf32>
    %cst_17 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %97 = stablehlo.reduce(%96 init: %cst_17) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %cst_18 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<4x2x16xf32>
    %99 = stablehlo.maximum %98, %97 : tensor<4x2x16xf32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2] : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %101 = stablehlo.reduce_precision %100, format = e8m23 : tensor<4x2x16x1xf32>
    %102 = stablehlo.broadcast_in_dim %101, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %103 = stablehlo.subtract %96, %102 : tensor<4x2x16x16xf32>
    %104 = stablehlo.exponential %103 : tensor<4x2x16x16xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %105 = stablehlo.reduce(%104 init: %cst_19) applies stablehlo.add across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %106 = stablehlo.broadcast_in_dim %105, dims = [0, 1, 2] : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %107 = stablehlo.broadcast_in_dim %106, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %108 = stablehlo.divide %104, %107 : tensor<4x2x16x16xf32>
    %109 = stablehlo.dot_general %92, %108, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x16xf32>, tensor<4x2x16x16xf32>) -> tensor<4x2x16x16xf32>
    %110 = stablehlo.transpose %109, dims = [0, 3, 1, 2] : (tensor<4x2x16x16xf32>) -> tensor<4x16x2x16xf32>
    %111 = sdy.sharding_constraint %110 <@mesh, [{"x"}, {}, {"y"}, {}]> : tensor<4x16x2x16xf32>
    %112 = stablehlo.dot_general %111, %arg8, contracting_dims = [3, 2] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x16xf32>, tensor<2x16x32xf32>) -> tensor<4x16x32xf32>
    %113 = stablehlo.add %71, %112 : tensor<4x16x32xf32>
    %114 = sdy.sharding_constraint %113 <@mesh, [{"x"}, {}, {}]> : tensor<4x16x32xf32>
    %115 = stablehlo.multiply %114, %114 : tensor<4x16x32xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %116 = stablehlo.reduce(%115 init: %cst_20) applies stablehlo.add across dimensions = [2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x16xf32>
    %117 = stablehlo.broadcast_in_dim %116, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %cst_21 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %118 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %119 = stablehlo.divide %117, %118 : tensor<4x16x1xf32>
    %cst_22 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %121 = stablehlo.add %119, %120 : tensor<4x16x1xf32>
    %122 = stablehlo.rsqrt %121 : tensor<4x16x1xf32>
    %123 = stablehlo.broadcast_in_dim %122, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x32xf32>
    %124 = stablehlo.multiply %114, %123 : tensor<4x16x32xf32>
    %125 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %126 = stablehlo.broadcast_in_dim %125, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<4x16x32xf32>
    %127 = stablehlo.multiply %124, %126 : tensor<4x16x32xf32>
    %128 = stablehlo.dot_general %127, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<32x4xf32>) -> tensor<4x16x4xf32>
    %cst_23 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %129 = stablehlo.reduce(%128 init: %cst_23) applies stablehlo.maximum across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %cst_24 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %131 = stablehlo.maximum %130, %129 : tensor<4x16xf32>
    %132 = stablehlo.broadcast_in_dim %131, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %133 = stablehlo.reduce_precision %132, format = e8m23 : tensor<4x16x1xf32>
    %134 = stablehlo.broadcast_in_dim %133, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x4xf32>
    %135 = stablehlo.subtract %128, %134 : tensor<4x16x4xf32>
    %136 = stablehlo.exponential %135 : tensor<4x16x4xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %137 = stablehlo.reduce(%136 init: %cst_25) applies stablehlo.add across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %138 = stablehlo.broadcast_in_dim %137, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %139 = stablehlo.broadcast_in_dim %138, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x4xf32>
    %140 = stablehlo.divide %136, %139 : tensor<4x16x4xf32>
    %141 = call @argmax(%140) : (tensor<4x16x4xf32>) -> tensor<4x16xi32>
    %142 = call @_one_hot(%141) : (tensor<4x16xi32>) -> tensor<4x16x4xf32>
    %143 = stablehlo.multiply %140, %142 : tensor<4x16x4xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %144 = stablehlo.reduce(%143 init: %cst_26) applies stablehlo.add across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<4x16x4xf32>
    %146 = stablehlo.subtract %145, %142 : tensor<4x16x4xf32>
    %147 = stablehlo.multiply %140, %146 : tensor<4x16x4xf32>
    %148 = call @argmax(%147) : (tensor<4x16x4xf32>) -> tensor<4x16xi32>
    %149 = call @_one_hot(%148) : (tensor<4x16xi32>) -> tensor<4x16x4xf32>
    %150 = stablehlo.multiply %140, %149 : tensor<4x16x4xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %151 = stablehlo.reduce(%150 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %152 = stablehlo.reduce(%142 init: %cst_29) applies stablehlo.add across dimensions = [1] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %cst_30 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %153 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %154 = stablehlo.divide %152, %153 : tensor<4x4xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %155 = stablehlo.reduce(%140 init: %cst_31) applies stablehlo.add across dimensions = [1] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %cst_32 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %157 = stablehlo.divide %155, %156 : tensor<4x4xf32>
    %158 = stablehlo.multiply %154, %157 : tensor<4x4xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %159 = stablehlo.reduce(%158 init: %cst_33) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_34 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %160 = stablehlo.divide %159, %cst_34 : tensor<f32>
    %cst_35 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %161 = stablehlo.multiply %160, %cst_35 : tensor<f32>
    %cst_36 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %162 = stablehlo.multiply %161, %cst_36 : tensor<f32>
    %163 = call @cumsum(%142) : (tensor<4x16x4xf32>) -> tensor<4x16x4xf32>
    %164 = stablehlo.subtract %163, %142 : tensor<4x16x4xf32>
    %165 = stablehlo.multiply %164, %142 : tensor<4x16x4xf32>
    %cst_37 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %166 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<4x16x4xf32>
    %167 = stablehlo.compare LT, %165, %166, FLOAT : (tensor<4x16x4xf32>, tensor<4x16x4xf32>) -> tensor<4x16x4xi1>
    %168 = stablehlo.convert %167 : (tensor<4x16x4xi1>) -> tensor<4x16x4xf32>
    %169 = stablehlo.multiply %142, %168 : tensor<4x16x4xf32>
    %170 = call @cumsum(%149) : (tensor<4x16x4xf32>) -> tensor<4x16x4xf32>
    %171 = stablehlo.subtract %170, %149 : tensor<4x16x4xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %172 = stablehlo.reduce(%169 init: %cst_38) applies stablehlo.add across dimensions = [1] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %173 = stablehlo.broadcast_in_dim %172, dims = [0, 2] : (tensor<4x4xf32>) -> tensor<4x1x4xf32>
    %174 = stablehlo.broadcast_in_dim %173, dims = [0, 1, 2] : (tensor<4x1x4xf32>) -> tensor<4x16x4xf32>
    %175 = stablehlo.add %171, %174 : tensor<4x16x4xf32>
    %176 = stablehlo.multiply %175, %149 : tensor<4x16x4xf32>
    %cst_39 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %177 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<4x16x4xf32>
    %178 = stablehlo.compare LT, %176, %177, FLOAT : (tensor<4x16x4xf32>, tensor<4x16x4xf32>) -> tensor<4x16x4xi1>
    %179 = stablehlo.convert %178 : (tensor<4x16x4xi1>) -> tensor<4x16x4xf32>
    %180 = stablehlo.multiply %149, %179 : tensor<4x16x4xf32>
    %181 = stablehlo.add %144, %151 : tensor<4x16xf32>
    %cst_40 = stablehlo.constant dense<9.99999971E-10> : tensor<f32>
    %182 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %183 = stablehlo.add %181, %182 : tensor<4x16xf32>
    %184 = stablehlo.multiply %165, %169 : tensor<4x16x4xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %185 = stablehlo.reduce(%184 init: %cst_41) applies stablehlo.add across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %186 = stablehlo.convert %185 : (tensor<4x16xf32>) -> tensor<4x16xi32>
    %187 = call @_one_hot_1(%186) : (tensor<4x16xi32>) -> tensor<4x16x8xf32>
    %188 = stablehlo.divide %144, %183 : tensor<4x16xf32>
    %189 = stablehlo.broadcast_in_dim %188, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1x1xf32>
    %190 = stablehlo.broadcast_in_dim %169, dims = [0, 1, 2] : (tensor<4x16x4xf32>) -> tensor<4x16x4x1xf32>
    %191 = stablehlo.broadcast_in_dim %189, dims = [0, 1, 2, 3] : (tensor<4x16x1x1xf32>) -> tensor<4x16x4x1xf32>
    %192 = stablehlo.multiply %191, %190 : tensor<4x16x4x1xf32>
    %193 = stablehlo.broadcast_in_dim %187, dims = [0, 1, 3] : (tensor<4x16x8xf32>) -> tensor<4x16x1x8xf32>
    %194 = stablehlo.broadcast_in_dim %192, dims = [0, 1, 2, 3] : (tensor<4x16x4x1xf32>) -> tensor<4x16x4x8xf32>
    %195 = stablehlo.broadcast_in_dim %193, dims = [0, 1, 2, 3] : (tensor<4x16x1x8xf32>) -> tensor<4x16x4x8xf32>
    %196 = stablehlo.multiply %194, %195 : tensor<4x16x4x8xf32>
    %197 = stablehlo.multiply %176, %180 : tensor<4x16x4xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %198 = stablehlo.reduce(%197 init: %cst_42) applies stablehlo.add across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %199 = stablehlo.convert %198 : (tensor<4x16xf32>) -> tensor<4x16xi32>
    %200 = call @_one_hot_1(%199) : (tensor<4x16xi32>) -> tensor<4x16x8xf32>
    %201 = stablehlo.divide %151, %183 : tensor<4x16xf32>
    %202 = stablehlo.broadcast_in_dim %201, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1x1xf32>
    %203 = stablehlo.broadcast_in_dim %180, dims = [0, 1, 2] : (tensor<4x16x4xf32>) -> tensor<4x16x4x1xf32>
    %204 = stablehlo.broadcast_in_dim %202, dims = [0, 1, 2, 3] : (tensor<4x16x1x1xf32>) -> tensor<4x16x4x1xf32>
    %205 = stablehlo.multiply %204, %203 : tensor<4x16x4x1xf32>
    %206 = stablehlo.broadcast_in_dim %200, dims = [0, 1, 3] : (tensor<4x16x8xf32>) -> tensor<4x16x1x8xf32>
    %207 = stablehlo.broadcast_in_dim %205, dims = [0, 1, 2, 3] : (tensor<4x16x4x1xf32>) -> tensor<4x16x4x8xf32>
    %208 = stablehlo.broadcast_in_dim %206, dims = [0, 1, 2, 3] : (tensor<4x16x1x8xf32>) -> tensor<4x16x4x8xf32>
    %209 = stablehlo.multiply %207, %208 : tensor<4x16x4x8xf32>
    %210 = stablehlo.add %196, %209 : tensor<4x16x4x8xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %211 = stablehlo.add %cst_43, %162 : tensor<f32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %212 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<4x16x4x8xf32>
    %213 = stablehlo.compare GT, %210, %212, FLOAT : (tensor<4x16x4x8xf32>, tensor<4x16x4x8xf32>) -> tensor<4x16x4x8xi1>
    %214 = stablehlo.convert %213 : (tensor<4x16x4x8xi1>) -> tensor<4x16x4x8xf32>
    %215 = stablehlo.dot_general %127, %214, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<4x16x4x8xf32>) -> tensor<4x32x4x8xf32>
    %216 = stablehlo.transpose %215, dims = [2, 0, 3, 1] : (tensor<4x32x4x8xf32>) -> tensor<4x4x8x32xf32>
    %217 = sdy.sharding_constraint %216 <@mesh, [{"x"}, {}, {}, {}]> : tensor<4x4x8x32xf32>
    %218 = stablehlo.dot_general %217, %arg11, batching_dims = [0] x [0], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8x32xf32>, tensor<4x32x64xf32>) -> tensor<4x4x8x64xf32>
    %219 = call @relu_2(%218) : (tensor<4x4x8x64xf32>) -> tensor<4x4x8x64xf32>
    %220 = sdy.sharding_constraint %219 <@mesh, [{"x"}, {}, {}, {"y"}]> : tensor<4x4x8x64xf32>
    %221 = stablehlo.dot_general %arg12, %220, batching_dims = [0] x [0], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x64x32xf32>, tensor<4x4x8x64xf32>) -> tensor<4x32x4x8xf32>
    %222 = stablehlo.transpose %221, dims = [2, 0, 3, 1] : (tensor<4x32x4x8xf32>) -> tensor<4x4x8x32xf32>
    %223 = sdy.sharding_constraint %222 <@mesh, [{"x"}, {}, {}, {}]> : tensor<4x4x8x32xf32>
    %224 = stablehlo.dot_general %210, %223, batching_dims = [0] x [0], contracting_dims = [3, 2] x [2, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x4x8xf32>, tensor<4x4x8x32xf32>) -> tensor<4x16x32xf32>
    %225 = stablehlo.add %114, %224 : tensor<4x16x32xf32>
    %226 = sdy.sharding_constraint %225 <@mesh, [{"x"}, {}, {}]> : tensor<4x16x32xf32>
    %227 = stablehlo.dot_general %226, %arg13, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<64x32xf32>) -> tensor<4x16x64xf32>
    %228 = call @_roll_static(%arg14) : (tensor<4x16xi32>) -> tensor<4x16xi32>
    %229 = call @log_softmax(%227) : (tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
    %230 = stablehlo.broadcast_in_dim %228, dims = [0, 1] : (tensor<4x16xi32>) -> tensor<4x16x1xi32>
    %231 = call @take_along_axis(%229, %230) : (tensor<4x16x64xf32>, tensor<4x16x1xi32>) -> tensor<4x16x1xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %232 = stablehlo.reduce(%231 init: %cst_45) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x16x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_46 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %233 = stablehlo.divide %232, %cst_46 : tensor<f32>
    %234 = stablehlo.negate %233 : tensor<f32>
    %cst_47 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %235 = stablehlo.multiply %cst_47, %211 : tensor<f32>
    %236 = stablehlo.add %234, %235 : tensor<f32>
    return %236 : tensor<f32>
  }
  func.func private @tril(%arg0: tensor<16x16xi1>) -> tensor<16x16xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<16x16xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16x16xi32>
    %2 = stablehlo.add %0, %1 : tensor<16x16xi32>
    %3 = stablehlo.iota dim = 1 : tensor<16x16xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<16x16xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<16x16xi1>, tensor<16x16xi1>
    return %6 : tensor<16x16xi1>
  }
  func.func private @_where(%arg0: tensor<16x16xi1>, %arg1: tensor<4x2x16x16xf32>, %arg2: tensor<f32>) -> tensor<4x2x16x16xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<16x16xi1>) -> tensor<4x2x16x16xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x2x16x16xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<4x2x16x16xi1>, tensor<4x2x16x16xf32>
    return %3 : tensor<4x2x16x16xf32>
  }
  func.func private @relu(%arg0: tensor<4x16x64xf32>) -> tensor<4x16x64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x16x64xf32>
    return %1 : tensor<4x16x64xf32>
  }
  func.func private @argmax(%arg0: tensor<4x16x4xf32>) -> tensor<4x16xi32> {
    %0 = stablehlo.iota dim = 2 : tensor<4x16x4xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [2] : (tensor<4x16x4xf32>, tensor<4x16x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x16xf32>, tensor<4x16xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<4x16xi32>
  }
  func.func private @_one_hot(%arg0: tensor<4x16xi32>) -> tensor<4x16x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<4x16xi32>) -> tensor<4x16x1xi32>
    %1 = stablehlo.iota dim = 2 : tensor<1x1x4xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<4x16x1xi32>) -> tensor<4x16x4xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x4xi32>) -> tensor<4x16x4xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<4x16x4xi32>, tensor<4x16x4xi32>) -> tensor<4x16x4xi1>
    %5 = stablehlo.convert %4 : (tensor<4x16x4xi1>) -> tensor<4x16x4xf32>
    return %5 : tensor<4x16x4xf32>
  }
  func.func private @cumsum(%arg0: tensor<4x16x4xf32>) -> tensor<4x16x4xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<4x16x4xf32>) -> tensor<4x16x4xf32>
    return %0 : tensor<4x16x4xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<4x16x4xf32>) -> tensor<4x16x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [15, 0], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 16, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16x4xf32>
    return %1 : tensor<4x16x4xf32>
  }
  func.func private @_one_hot_1(%arg0: tensor<4x16xi32>) -> tensor<4x16x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<4x16xi32>) -> tensor<4x16x1xi32>
    %1 = stablehlo.iota dim = 2 : tensor<1x1x8xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<4x16x1xi32>) -> tensor<4x16x8xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x8xi32>) -> tensor<4x16x8xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<4x16x8xi32>, tensor<4x16x8xi32>) -> tensor<4x16x8xi1>
    %5 = stablehlo.convert %4 : (tensor<4x16x8xi1>) -> tensor<4x16x8xf32>
    return %5 : tensor<4x16x8xf32>
  }
  func.func private @relu_2(%arg0: tensor<4x4x8x64xf32>) -> tensor<4x4x8x64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4x8x64xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x4x8x64xf32>
    return %1 : tensor<4x4x8x64xf32>
  }
  func.func private @_roll_static(%arg0: tensor<4x16xi32>) -> tensor<4x16xi32> {
    %0 = stablehlo.slice %arg0 [0:4, 1:16] : (tensor<4x16xi32>) -> tensor<4x15xi32>
    %1 = stablehlo.slice %arg0 [0:4, 0:1] : (tensor<4x16xi32>) -> tensor<4x1xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<4x15xi32>, tensor<4x1xi32>) -> tensor<4x16xi32>
    return %2 : tensor<4x16xi32>
  }
  func.func private @log_softmax(%arg0: tensor<4x16x64xf32>) -> tensor<4x16x64xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<4x16x64xf32>, tensor<f32>) -> tensor<4x16xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<4x16xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %4 = stablehlo.reduce_precision %3, format = e8m23 : tensor<4x16x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x64xf32>
    %6 = stablehlo.subtract %arg0, %5 : tensor<4x16x64xf32>
    %7 = stablehlo.exponential %6 : tensor<4x16x64xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<4x16x64xf32>, tensor<f32>) -> tensor<4x16xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %10 = stablehlo.log %9 : tensor<4x16x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x64xf32>
    %12 = stablehlo.subtract %6, %11 : tensor<4x16x64xf32>
    return %12 : tensor<4x16x64xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<4x16x64xf32>, %arg1: tensor<4x16x1xi32>) -> tensor<4x16x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x16x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<4x16x1xi32>, tensor<4x16x1xi32>) -> tensor<4x16x1xi1>
    %c_0 = stablehlo.constant dense<64> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4x16x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<4x16x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<4x16x1xi1>, tensor<4x16x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<4x16x1xi32>) -> tensor<4x16x1x1xi32>
    %c_1 = stablehlo.constant dense<63> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4x16x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<4x16x1x1xi32>, tensor<4x16x1x1xi32>) -> tensor<4x16x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<4x16x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<4x16x1x1xi32>, tensor<4x16x1x1xi32>) -> tensor<4x16x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<4x16x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<4x16x1x1xi1>, tensor<i1>) -> tensor<4x16x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x16x64xf32>, tensor<4x16x1x1xi32>) -> tensor<4x16x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<4x16x1xi1>, tensor<4x16x1xf32>
    return %15 : tensor<4x16x1xf32>
  }
}
