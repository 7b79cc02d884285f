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
    %39 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %40 = stablehlo.subtract %34, %39 : tensor<4x2x16x16xf32>
    %41 = stablehlo.exponential %40 : tensor<4x2x16x16xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %42 = stablehlo.reduce(%41 init: %cst_8) applies stablehlo.add across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2] : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %45 = stablehlo.divide %41, %44 : tensor<4x2x16x16xf32>
    %46 = stablehlo.dot_general %30, %45, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x16xf32>, tensor<4x2x16x16xf32>) -> tensor<4x2x16x16xf32>
    %47 = stablehlo.transpose %46, dims = [0, 3, 1, 2] : (tensor<4x2x16x16xf32>) -> tensor<4x16x2x16xf32>
    %48 = sdy.sharding_constraint %47 <@mesh, [{"x"}, {}, {"y"}, {}]> : tensor<4x16x2x16xf32>
    %49 = stablehlo.dot_general %48, %arg2, contracting_dims = [3, 2] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x16xf32>, tensor<2x16x32xf32>) -> tensor<4x16x32xf32>
    %50 = stablehlo.add %7, %49 : tensor<4x16x32xf32>
    %51 = sdy.sharding_constraint %50 <@mesh, [{"x"}, {}, {}]> : tensor<4x16x32xf32>
    %52 = stablehlo.multiply %51, %51 : tensor<4x16x32xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.reduce(%52 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x16xf32>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %cst_10 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %56 = stablehlo.divide %54, %55 : tensor<4x16x1xf32>
    %cst_11 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %58 = stablehlo.add %56, %57 : tensor<4x16x1xf32>
    %59 = stablehlo.rsqrt %58 : tensor<4x16x1xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x32xf32>
    %61 = stablehlo.multiply %51, %60 : tensor<4x16x32xf32>
    %62 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<4x16x32xf32>
    %64 = stablehlo.multiply %61, %63 : tensor<4x16x32xf32>
    %65 = stablehlo.dot_general %64, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<32x64xf32>) -> tensor<4x16x64xf32>
    %66 = call @relu(%65) : (tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
    %67 = sdy.sharding_constraint %66 <@mesh, [{"x"}, {}, {"y"}]> : tensor<4x16x64xf32>
    %68 = stablehlo.dot_general %67, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x64xf32>, tensor<64x32xf32>) -> tensor<4x16x32xf32>
    %69 = stablehlo.add %51, %68 : tensor<4x16x32xf32>
    %70 = sdy.sharding_constraint %69 <@mesh, [{"x"}, {}, {}]> : tensor<4x16x32xf32>
    %71 = stablehlo.multiply %70, %70 : tensor<4x16x32xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.reduce(%71 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x16xf32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %cst_13 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %75 = stablehlo.divide %73, %74 : tensor<4x16x1xf32>
    %cst_14 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %77 = stablehlo.add %75, %76 : tensor<4x16x1xf32>
    %78 = stablehlo.rsqrt %77 : tensor<4x16x1xf32>
    %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x32xf32>
    %80 = stablehlo.multiply %70, %79 : tensor<4x16x32xf32>
    %81 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %82 = stablehlo.broadcast_in_dim %81, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<4x16x32xf32>
    %83 = stablehlo.multiply %80, %82 : tensor<4x16x32xf32>
    %84 = stablehlo.dot_general %arg9, %83, contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x32x2x16xf32>, tensor<4x16x32xf32>) -> tensor<3x2x16x4x16xf32>
    %85 = stablehlo.transpose %84, dims = [0, 3, 4, 1, 2] : (tensor<3x2x16x4x16xf32>) -> tensor<3x4x16x2x16xf32>
    %86 = stablehlo.slice %85 [0:1, 0:4, 0:16, 0:2, 0:16] : (tensor<3x4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %87 = stablehlo.reshape %86 : (tensor<1x4x16x2x16xf32>) -> tensor<4x16x2x16xf32>
    %88 = stablehlo.slice %85 [1:2, 0:4, 0:16, 0:2, 0:16] : (tensor<3x4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %89 = stablehlo.reshape %88 : (tensor<1x4x16x2x16xf32>) -> tensor<4x16x2x16xf32>
    %90 = stablehlo.slice %85 [2:3, 0:4, 0:16, 0:2, 0:16] : (tensor<3x4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %91 = stablehlo.reshape %90 : (tensor<1x4x16x2x16xf32>) -> tensor<4x16x2x16xf32>
    %92 = stablehlo.dot_general %87, %89, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x16xf32>, tensor<4x16x2x16xf32>) -> tensor<4x2x16x16xf32>
    %cst_15 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4x2x16x16xf32>
    %94 = stablehlo.divide %92, %93 : tensor<4x2x16x16xf32>
    %cst_16 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %95 = call @_where(%9, %94, %cst_16) : (tensor<16x16xi1>, tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16x16xf32>
    %cst_17 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %96 = stablehlo.reduce(%95 init: %cst_17) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %cst_18 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<4x2x16xf32>
    %98 = stablehlo.maximum %97, %96 : tensor<4x2x16xf32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [0, 1, 2] : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %101 = stablehlo.subtract %95, %100 : tensor<4x2x16x16xf32>
    %102 = stablehlo.exponential %101 : tensor<4x2x16x16xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %103 = stablehlo.reduce(%102 init: %cst_19) applies stablehlo.add across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %104 = stablehlo.broadcast_in_dim %103, dims = [0, 1, 2] : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %105 = stablehlo.broadcast_in_dim %104, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %106 = stablehlo.divide %102, %105 : tensor<4x2x16x16xf32>
    %107 = stablehlo.dot_general %91, %106, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x16xf32>, tensor<4x2x16x16xf32>) -> tensor<4x2x16x16xf32>
    %108 = stablehlo.transpose %107, dims = [0, 3, 1, 2] : (tensor<4x2x16x16xf32>) -> tensor<4x16x2x16xf32>
    %109 = sdy.sharding_constraint %108 <@mesh, [{"x"}, {}, {"y"}, {}]> : tensor<4x16x2x16xf32>
    %110 = stablehlo.dot_general %109, %arg8, contracting_dims = [3, 2] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x16xf32>, tensor<2x16x32xf32>) -> tensor<4x16x32xf32>
    %111 = stablehlo.add %70, %110 : tensor<4x16x32xf32>
    %112 = sdy.sharding_constraint %111 <@mesh, [{"x"}, {}, {}]> : tensor<4x16x32xf32>
    %113 = stablehlo.multiply %112, %112 : tensor<4x16x32xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %114 = stablehlo.reduce(%113 init: %cst_20) applies stablehlo.add across dimensions = [2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x16xf32>
    %115 = stablehlo.broadcast_in_dim %114, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %cst_21 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %117 = stablehlo.divide %115, %116 : tensor<4x16x1xf32>
    %cst_22 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %118 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %119 = stablehlo.add %117, %118 : tensor<4x16x1xf32>
    %120 = stablehlo.rsqrt %119 : tensor<4x16x1xf32>
    %121 = stablehlo.broadcast_in_dim %120, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x32xf32>
    %122 = stablehlo.multiply %112, %121 : tensor<4x16x32xf32>
    %123 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %124 = stablehlo.broadcast_in_dim %123, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<4x16x32xf32>
    %125 = stablehlo.multiply %122, %124 : tensor<4x16x32xf32>
    %126 = stablehlo.dot_general %125, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<32x4xf32>) -> tensor<4x16x4xf32>
    %cst_23 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %127 = stablehlo.reduce(%126 init: %cst_23) applies stablehlo.maximum across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %cst_24 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %129 = stablehlo.maximum %128, %127 : tensor<4x16xf32>
    %130 = stablehlo.broadcast_in_dim %129, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %131 = stablehlo.broadcast_in_dim %130, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x4xf32>
    %132 = stablehlo.subtract %126, %131 : tensor<4x16x4xf32>
    %133 = stablehlo.exponential %132 : tensor<4x16x4xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %134 = stablehlo.reduce(%133 init: %cst_25) applies stablehlo.add across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %135 = stablehlo.broadcast_in_dim %134, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %136 = stablehlo.broadcast_in_dim %135, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x4xf32>
    %137 = stablehlo.divide %133, %136 : tensor<4x16x4xf32>
    %138 = call @argmax(%137) : (tensor<4x16x4xf32>) -> tensor<4x16xi32>
    %139 = call @_one_hot(%138) : (tensor<4x16xi32>) -> tensor<4x16x4xf32>
    %140 = stablehlo.multiply %137, %139 : tensor<4x16x4xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %141 = stablehlo.reduce(%140 init: %cst_26) applies stablehlo.add across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<4x16x4xf32>
    %143 = stablehlo.subtract %142, %139 : tensor<4x16x4xf32>
    %144 = stablehlo.multiply %137, %143 : tensor<4x16x4xf32>
    %145 = call @argmax(%144) : (tensor<4x16x4xf32>) -> tensor<4x16xi32>
    %146 = call @_one_hot(%145) : (tensor<4x16xi32>) -> tensor<4x16x4xf32>
    %147 = stablehlo.multiply %137, %146 : tensor<4x16x4xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %148 = stablehlo.reduce(%147 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %149 = stablehlo.reduce(%139 init: %cst_29) applies stablehlo.add across dimensions = [1] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %cst_30 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %150 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %151 = stablehlo.divide %149, %150 : tensor<4x4xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %152 = stablehlo.reduce(%137 init: %cst_31) applies stablehlo.add across dimensions = [1] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %cst_32 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %153 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %154 = stablehlo.divide %152, %153 : tensor<4x4xf32>
    %155 = stablehlo.multiply %151, %154 : tensor<4x4xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %156 = stablehlo.reduce(%155 init: %cst_33) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_34 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %157 = stablehlo.divide %156, %cst_34 : tensor<f32>
    %cst_35 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %158 = stablehlo.multiply %157, %cst_35 : tensor<f32>
    %cst_36 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %159 = stablehlo.multiply %158, %cst_36 : tensor<f32>
    %160 = call @cumsum(%139) : (tensor<4x16x4xf32>) -> tensor<4x16x4xf32>
    %161 = stablehlo.subtract %160, %139 : tensor<4x16x4xf32>
    %162 = stablehlo.multiply %161, %139 : tensor<4x16x4xf32>
    %cst_37 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<4x16x4xf32>
    %164 = stablehlo.compare LT, %162, %163, FLOAT : (tensor<4x16x4xf32>, tensor<4x16x4xf32>) -> tensor<4x16x4xi1>
    %165 = stablehlo.convert %164 : (tensor<4x16x4xi1>) -> tensor<4x16x4xf32>
    %166 = stablehlo.multiply %139, %165 : tensor<4x16x4xf32>
    %167 = call @cumsum(%146) : (tensor<4x16x4xf32>) -> tensor<4x16x4xf32>
    %168 = stablehlo.subtract %167, %146 : tensor<4x16x4xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %169 = stablehlo.reduce(%166 init: %cst_38) applies stablehlo.add across dimensions = [1] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %170 = stablehlo.broadcast_in_dim %169, dims = [0, 2] : (tensor<4x4xf32>) -> tensor<4x1x4xf32>
    %171 = stablehlo.broadcast_in_dim %170, dims = [0, 1, 2] : (tensor<4x1x4xf32>) -> tensor<4x16x4xf32>
    %172 = stablehlo.add %168, %171 : tensor<4x16x4xf32>
    %173 = stablehlo.multiply %172, %146 : tensor<4x16x4xf32>
    %cst_39 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<4x16x4xf32>
    %175 = stablehlo.compare LT, %173, %174, FLOAT : (tensor<4x16x4xf32>, tensor<4x16x4xf32>) -> tensor<4x16x4xi1>
    %176 = stablehlo.convert %175 : (tensor<4x16x4xi1>) -> tensor<4x16x4xf32>
    %177 = stablehlo.multiply %146, %176 : tensor<4x16x4xf32>
    %178 = stablehlo.add %141, %148 : tensor<4x16xf32>
    %cst_40 = stablehlo.constant dense<9.99999971E-10> : tensor<f32>
    %179 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %180 = stablehlo.add %178, %179 : tensor<4x16xf32>
    %181 = stablehlo.multiply %162, %166 : tensor<4x16x4xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %182 = stablehlo.reduce(%181 init: %cst_41) applies stablehlo.add across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %183 = stablehlo.convert %182 : (tensor<4x16xf32>) -> tensor<4x16xi32>
    %184 = call @_one_hot_1(%183) : (tensor<4x16xi32>) -> tensor<4x16x8xf32>
    %185 = stablehlo.divide %141, %180 : tensor<4x16xf32>
    %186 = stablehlo.broadcast_in_dim %185, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1x1xf32>
    %187 = stablehlo.broadcast_in_dim %166, dims = [0, 1, 2] : (tensor<4x16x4xf32>) -> tensor<4x16x4x1xf32>
    %188 = stablehlo.broadcast_in_dim %186, dims = [0, 1, 2, 3] : (tensor<4x16x1x1xf32>) -> tensor<4x16x4x1xf32>
    %189 = stablehlo.multiply %188, %187 : tensor<4x16x4x1xf32>
    %190 = stablehlo.broadcast_in_dim %184, dims = [0, 1, 3] : (tensor<4x16x8xf32>) -> tensor<4x16x1x8xf32>
    %191 = stablehlo.broadcast_in_dim %189, dims = [0, 1, 2, 3] : (tensor<4x16x4x1xf32>) -> tensor<4x16x4x8xf32>
    %192 = stablehlo.broadcast_in_dim %190, dims = [0, 1, 2, 3] : (tensor<4x16x1x8xf32>) -> tensor<4x16x4x8xf32>
    %193 = stablehlo.multiply %191, %192 : tensor<4x16x4x8xf32>
    %194 = stablehlo.multiply %173, %177 : tensor<4x16x4xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %195 = stablehlo.reduce(%194 init: %cst_42) applies stablehlo.add across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %196 = stablehlo.convert %195 : (tensor<4x16xf32>) -> tensor<4x16xi32>
    %197 = call @_one_hot_1(%196) : (tensor<4x16xi32>) -> tensor<4x16x8xf32>
    %198 = stablehlo.divide %148, %180 : tensor<4x16xf32>
    %199 = stablehlo.broadcast_in_dim %198, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1x1xf32>
    %200 = stablehlo.broadcast_in_dim %177, dims = [0, 1, 2] : (tensor<4x16x4xf32>) -> tensor<4x16x4x1xf32>
    %201 = stablehlo.broadcast_in_dim %199, dims = [0, 1, 2, 3] : (tensor<4x16x1x1xf32>) -> tensor<4x16x4x1xf32>
    %202 = stablehlo.multiply %201, %200 : tensor<4x16x4x1xf32>
    %203 = stablehlo.broadcast_in_dim %197, dims = [0, 1, 3] : (tensor<4x16x8xf32>) -> tensor<4x16x1x8xf32>
    %204 = stablehlo.broadcast_in_dim %202, dims = [0, 1, 2, 3] : (tensor<4x16x4x1xf32>) -> tensor<4x16x4x8xf32>
    %205 = stablehlo.broadcast_in_dim %203, dims = [0, 1, 2, 3] : (tensor<4x16x1x8xf32>) -> tensor<4x16x4x8xf32>
    %206 = stablehlo.multiply %204, %205 : tensor<4x16x4x8xf32>
    %207 = stablehlo.add %193, %206 : tensor<4x16x4x8xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %208 = stablehlo.add %cst_43, %159 : tensor<f32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %209 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<4x16x4x8xf32>
    %210 = stablehlo.compare GT, %207, %209, FLOAT : (tensor<4x16x4x8xf32>, tensor<4x16x4x8xf32>) -> tensor<4x16x4x8xi1>
    %211 = stablehlo.convert %210 : (tensor<4x16x4x8xi1>) -> tensor<4x16x4x8xf32>
    %212 = stablehlo.dot_general %125, %211, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<4x16x4x8xf32>) -> tensor<4x32x4x8xf32>
    %213 = stablehlo.transpose %212, dims = [2, 0, 3, 1] : (tensor<4x32x4x8xf32>) -> tensor<4x4x8x32xf32>
    %214 = sdy.sharding_constraint %213 <@mesh, [{"x"}, {}, {}, {}]> : tensor<4x4x8x32xf32>
    %215 = stablehlo.dot_general %214, %arg11, batching_dims = [0] x [0], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8x32xf32>, tensor<4x32x64xf32>) -> tensor<4x4x8x64xf32>
    %216 = call @relu_2(%215) : (tensor<4x4x8x64xf32>) -> tensor<4x4x8x64xf32>
    %217 = sdy.sharding_constraint %216 <@mesh, [{"x"}, {}, {}, {"y"}]> : tensor<4x4x8x64xf32>
    %218 = stablehlo.dot_general %arg12, %217, batching_dims = [0] x [0], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x64x32xf32>, tensor<4x4x8x64xf32>) -> tensor<4x32x4x8xf32>
    %219 = stablehlo.transpose %218, dims = [2, 0, 3, 1] : (tensor<4x32x4x8xf32>) -> tensor<4x4x8x32xf32>
    %220 = sdy.sharding_constraint %219 <@mesh, [{"x"}, {}, {}, {}]> : tensor<4x4x8x32xf32>
    %221 = stablehlo.dot_general %207, %220, batching_dims = [0] x [0], contracting_dims = [3, 2] x [2, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x4x8xf32>, tensor<4x4x8x32xf32>) -> tensor<4x16x32xf32>
    %222 = stablehlo.add %112, %221 : tensor<4x16x32xf32>
    %223 = sdy.sharding_constraint %222 <@mesh, [{"x"}, {}, {}]> : tensor<4x16x32xf32>
    %224 = stablehlo.dot_general %223, %arg13, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<64x32xf32>) -> tensor<4x16x64xf32>
    %225 = call @_roll_static(%arg14) : (tensor<4x16xi32>) -> tensor<4x16xi32>
    %226 = call @log_softmax(%224) : (tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
    %227 = stablehlo.broadcast_in_dim %225, dims = [0, 1] : (tensor<4x16xi32>) -> tensor<4x16x1xi32>
    %228 = call @take_along_axis(%226, %227) : (tensor<4x16x64xf32>, tensor<4x16x1xi32>) -> tensor<4x16x1xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %229 = stablehlo.reduce(%228 init: %cst_45) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x16x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_46 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %230 = stablehlo.divide %229, %cst_46 : tensor<f32>
    %231 = stablehlo.negate %230 : tensor<f32>
    %cst_47 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %232 = stablehlo.multiply %cst_47, %208 : tensor<f32>
    %233 = stablehlo.add %231, %232 : tensor<f32>
    return %233 : tensor<f32>
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
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x64xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<4x16x64xf32>
    %6 = stablehlo.exponential %5 : tensor<4x16x64xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<4x16x64xf32>, tensor<f32>) -> tensor<4x16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %9 = stablehlo.log %8 : tensor<4x16x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x64xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<4x16x64xf32>
    return %11 : tensor<4x16x64xf32>
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
