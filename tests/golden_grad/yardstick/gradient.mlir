module @jit_loss_fn attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=1, "y"=1]> {stablehlo.mesh = {axes = [{name = "x", size = 1 : i64}, {name = "y", size = 1 : i64}]}}
  func.func public @main(%arg0: tensor<32xf32>, %arg1: tensor<32xf32>, %arg2: tensor<2x16x32xf32>, %arg3: tensor<3x32x2x16xf32>, %arg4: tensor<32x64xf32>, %arg5: tensor<64x32xf32>, %arg6: tensor<32xf32>, %arg7: tensor<32xf32>, %arg8: tensor<2x16x32xf32>, %arg9: tensor<3x32x2x16xf32>, %arg10: tensor<32x4xf32>, %arg11: tensor<4x32x64xf32>, %arg12: tensor<4x64x32xf32>, %arg13: tensor<64x32xf32>, %arg14: tensor<4x16xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<32xf32> {jax.result_info = "result[1]['0.ln1']"}, tensor<32xf32> {jax.result_info = "result[1]['0.ln2']"}, tensor<2x16x32xf32> {jax.result_info = "result[1]['0.o']"}, tensor<3x32x2x16xf32> {jax.result_info = "result[1]['0.qkv']"}, tensor<32x64xf32> {jax.result_info = "result[1]['0.wi']"}, tensor<64x32xf32> {jax.result_info = "result[1]['0.wo']"}, tensor<32xf32> {jax.result_info = "result[1]['1.ln1']"}, tensor<32xf32> {jax.result_info = "result[1]['1.ln2']"}, tensor<2x16x32xf32> {jax.result_info = "result[1]['1.o']"}, tensor<3x32x2x16xf32> {jax.result_info = "result[1]['1.qkv']"}, tensor<32x4xf32> {jax.result_info = "result[1]['1.wg']"}, tensor<4x32x64xf32> {jax.result_info = "result[1]['1.wi']"}, tensor<4x64x32xf32> {jax.result_info = "result[1]['1.wo']"}, tensor<64x32xf32> {jax.result_info = "result[1]['emb']"}) {
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
    %18 = stablehlo.divide %17, %16 : tensor<4x16x1xf32>
    %cst_4 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %20 = stablehlo.multiply %19, %18 : tensor<4x16x1xf32>
    %21 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x32xf32>
    %22 = stablehlo.multiply %7, %21 : tensor<4x16x32xf32>
    %23 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<4x16x32xf32>
    %25 = stablehlo.multiply %22, %24 : tensor<4x16x32xf32>
    %26 = stablehlo.dot_general %arg3, %25, contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x32x2x16xf32>, tensor<4x16x32xf32>) -> tensor<3x2x16x4x16xf32>
    %27 = stablehlo.transpose %26, dims = [0, 3, 4, 1, 2] : (tensor<3x2x16x4x16xf32>) -> tensor<3x4x16x2x16xf32>
    %28 = stablehlo.slice %27 [0:1, 0:4, 0:16, 0:2, 0:16] : (tensor<3x4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %29 = stablehlo.reshape %28 : (tensor<1x4x16x2x16xf32>) -> tensor<4x16x2x16xf32>
    %30 = stablehlo.slice %27 [1:2, 0:4, 0:16, 0:2, 0:16] : (tensor<3x4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %31 = stablehlo.reshape %30 : (tensor<1x4x16x2x16xf32>) -> tensor<4x16x2x16xf32>
    %32 = stablehlo.slice %27 [2:3, 0:4, 0:16, 0:2, 0:16] : (tensor<3x4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %33 = stablehlo.reshape %32 : (tensor<1x4x16x2x16xf32>) -> tensor<4x16x2x16xf32>
    %34 = stablehlo.dot_general %29, %31, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x16xf32>, tensor<4x16x2x16xf32>) -> tensor<4x2x16x16xf32>
    %cst_5 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x2x16x16xf32>
    %36 = stablehlo.divide %34, %35 : tensor<4x2x16x16xf32>
    %cst_6 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %37:2 = call @_where(%9, %36, %cst_6) : (tensor<16x16xi1>, tensor<4x2x16x16xf32>, tensor<f32>) -> (tensor<4x2x16x16xf32>, tensor<4x2x16x16xi1>)
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %38 = stablehlo.reduce(%37#0 init: %cst_7) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x2x16xf32>
    %40 = stablehlo.maximum %39, %38 : tensor<4x2x16xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2] : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %43 = stablehlo.subtract %37#0, %42 : tensor<4x2x16x16xf32>
    %44 = stablehlo.exponential %43 : tensor<4x2x16x16xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.reduce(%44 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2] : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %48 = stablehlo.divide %44, %47 : tensor<4x2x16x16xf32>
    %49 = stablehlo.multiply %46, %46 : tensor<4x2x16x1xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x2x16x1xf32>
    %51 = stablehlo.divide %50, %49 : tensor<4x2x16x1xf32>
    %52 = stablehlo.dot_general %33, %48, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x16xf32>, tensor<4x2x16x16xf32>) -> tensor<4x2x16x16xf32>
    %53 = stablehlo.transpose %52, dims = [0, 3, 1, 2] : (tensor<4x2x16x16xf32>) -> tensor<4x16x2x16xf32>
    %54 = sdy.sharding_constraint %53 <@mesh, [{"x"}, {}, {"y"}, {}]> : tensor<4x16x2x16xf32>
    %55 = stablehlo.dot_general %54, %arg2, contracting_dims = [3, 2] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x16xf32>, tensor<2x16x32xf32>) -> tensor<4x16x32xf32>
    %56 = stablehlo.add %7, %55 : tensor<4x16x32xf32>
    %57 = sdy.sharding_constraint %56 <@mesh, [{"x"}, {}, {}]> : tensor<4x16x32xf32>
    %58 = stablehlo.multiply %57, %57 : tensor<4x16x32xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.reduce(%58 init: %cst_11) applies stablehlo.add across dimensions = [2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x16xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %cst_12 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %62 = stablehlo.divide %60, %61 : tensor<4x16x1xf32>
    %cst_13 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %64 = stablehlo.add %62, %63 : tensor<4x16x1xf32>
    %65 = stablehlo.rsqrt %64 : tensor<4x16x1xf32>
    %66 = stablehlo.divide %65, %64 : tensor<4x16x1xf32>
    %cst_14 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %68 = stablehlo.multiply %67, %66 : tensor<4x16x1xf32>
    %69 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x32xf32>
    %70 = stablehlo.multiply %57, %69 : tensor<4x16x32xf32>
    %71 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %72 = stablehlo.broadcast_in_dim %71, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<4x16x32xf32>
    %73 = stablehlo.multiply %70, %72 : tensor<4x16x32xf32>
    %74 = stablehlo.dot_general %73, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<32x64xf32>) -> tensor<4x16x64xf32>
    %75 = call @relu(%74) : (tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %77 = stablehlo.compare GT, %74, %76, FLOAT : (tensor<4x16x64xf32>, tensor<4x16x64xf32>) -> tensor<4x16x64xi1>
    %78 = sdy.sharding_constraint %75 <@mesh, [{"x"}, {}, {"y"}]> : tensor<4x16x64xf32>
    %79 = stablehlo.dot_general %78, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x64xf32>, tensor<64x32xf32>) -> tensor<4x16x32xf32>
    %80 = stablehlo.add %57, %79 : tensor<4x16x32xf32>
    %81 = sdy.sharding_constraint %80 <@mesh, [{"x"}, {}, {}]> : tensor<4x16x32xf32>
    %82 = stablehlo.multiply %81, %81 : tensor<4x16x32xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.reduce(%82 init: %cst_16) applies stablehlo.add across dimensions = [2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x16xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %cst_17 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %86 = stablehlo.divide %84, %85 : tensor<4x16x1xf32>
    %cst_18 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %88 = stablehlo.add %86, %87 : tensor<4x16x1xf32>
    %89 = stablehlo.rsqrt %88 : tensor<4x16x1xf32>
    %90 = stablehlo.divide %89, %88 : tensor<4x16x1xf32>
    %cst_19 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %92 = stablehlo.multiply %91, %90 : tensor<4x16x1xf32>
    %93 = stablehlo.broadcast_in_dim %89, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x32xf32>
    %94 = stablehlo.multiply %81, %93 : tensor<4x16x32xf32>
    %95 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %96 = stablehlo.broadcast_in_dim %95, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<4x16x32xf32>
    %97 = stablehlo.multiply %94, %96 : tensor<4x16x32xf32>
    %98 = stablehlo.dot_general %arg9, %97, contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x32x2x16xf32>, tensor<4x16x32xf32>) -> tensor<3x2x16x4x16xf32>
    %99 = stablehlo.transpose %98, dims = [0, 3, 4, 1, 2] : (tensor<3x2x16x4x16xf32>) -> tensor<3x4x16x2x16xf32>
    %100 = stablehlo.slice %99 [0:1, 0:4, 0:16, 0:2, 0:16] : (tensor<3x4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %101 = stablehlo.reshape %100 : (tensor<1x4x16x2x16xf32>) -> tensor<4x16x2x16xf32>
    %102 = stablehlo.slice %99 [1:2, 0:4, 0:16, 0:2, 0:16] : (tensor<3x4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %103 = stablehlo.reshape %102 : (tensor<1x4x16x2x16xf32>) -> tensor<4x16x2x16xf32>
    %104 = stablehlo.slice %99 [2:3, 0:4, 0:16, 0:2, 0:16] : (tensor<3x4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %105 = stablehlo.reshape %104 : (tensor<1x4x16x2x16xf32>) -> tensor<4x16x2x16xf32>
    %106 = stablehlo.dot_general %101, %103, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x16xf32>, tensor<4x16x2x16xf32>) -> tensor<4x2x16x16xf32>
    %cst_20 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4x2x16x16xf32>
    %108 = stablehlo.divide %106, %107 : tensor<4x2x16x16xf32>
    %cst_21 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %109:2 = call @_where(%9, %108, %cst_21) : (tensor<16x16xi1>, tensor<4x2x16x16xf32>, tensor<f32>) -> (tensor<4x2x16x16xf32>, tensor<4x2x16x16xi1>)
    %cst_22 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %110 = stablehlo.reduce(%109#0 init: %cst_22) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %cst_23 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<4x2x16xf32>
    %112 = stablehlo.maximum %111, %110 : tensor<4x2x16xf32>
    %113 = stablehlo.broadcast_in_dim %112, dims = [0, 1, 2] : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %114 = stablehlo.broadcast_in_dim %113, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %115 = stablehlo.subtract %109#0, %114 : tensor<4x2x16x16xf32>
    %116 = stablehlo.exponential %115 : tensor<4x2x16x16xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %117 = stablehlo.reduce(%116 init: %cst_24) applies stablehlo.add across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %118 = stablehlo.broadcast_in_dim %117, dims = [0, 1, 2] : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %119 = stablehlo.broadcast_in_dim %118, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %120 = stablehlo.divide %116, %119 : tensor<4x2x16x16xf32>
    %121 = stablehlo.multiply %118, %118 : tensor<4x2x16x1xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<4x2x16x1xf32>
    %123 = stablehlo.divide %122, %121 : tensor<4x2x16x1xf32>
    %124 = stablehlo.dot_general %105, %120, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x16xf32>, tensor<4x2x16x16xf32>) -> tensor<4x2x16x16xf32>
    %125 = stablehlo.transpose %124, dims = [0, 3, 1, 2] : (tensor<4x2x16x16xf32>) -> tensor<4x16x2x16xf32>
    %126 = sdy.sharding_constraint %125 <@mesh, [{"x"}, {}, {"y"}, {}]> : tensor<4x16x2x16xf32>
    %127 = stablehlo.dot_general %126, %arg8, contracting_dims = [3, 2] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x16xf32>, tensor<2x16x32xf32>) -> tensor<4x16x32xf32>
    %128 = stablehlo.add %81, %127 : tensor<4x16x32xf32>
    %129 = sdy.sharding_constraint %128 <@mesh, [{"x"}, {}, {}]> : tensor<4x16x32xf32>
    %130 = stablehlo.multiply %129, %129 : tensor<4x16x32xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %131 = stablehlo.reduce(%130 init: %cst_26) applies stablehlo.add across dimensions = [2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x16xf32>
    %132 = stablehlo.broadcast_in_dim %131, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %cst_27 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %134 = stablehlo.divide %132, %133 : tensor<4x16x1xf32>
    %cst_28 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %136 = stablehlo.add %134, %135 : tensor<4x16x1xf32>
    %137 = stablehlo.rsqrt %136 : tensor<4x16x1xf32>
    %138 = stablehlo.divide %137, %136 : tensor<4x16x1xf32>
    %cst_29 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %140 = stablehlo.multiply %139, %138 : tensor<4x16x1xf32>
    %141 = stablehlo.broadcast_in_dim %137, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x32xf32>
    %142 = stablehlo.multiply %129, %141 : tensor<4x16x32xf32>
    %143 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %144 = stablehlo.broadcast_in_dim %143, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<4x16x32xf32>
    %145 = stablehlo.multiply %142, %144 : tensor<4x16x32xf32>
    %146 = stablehlo.dot_general %145, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<32x4xf32>) -> tensor<4x16x4xf32>
    %cst_30 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %147 = stablehlo.reduce(%146 init: %cst_30) applies stablehlo.maximum across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %cst_31 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %149 = stablehlo.maximum %148, %147 : tensor<4x16xf32>
    %150 = stablehlo.broadcast_in_dim %149, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %151 = stablehlo.broadcast_in_dim %150, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x4xf32>
    %152 = stablehlo.subtract %146, %151 : tensor<4x16x4xf32>
    %153 = stablehlo.exponential %152 : tensor<4x16x4xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %154 = stablehlo.reduce(%153 init: %cst_32) applies stablehlo.add across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %155 = stablehlo.broadcast_in_dim %154, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %156 = stablehlo.broadcast_in_dim %155, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x4xf32>
    %157 = stablehlo.divide %153, %156 : tensor<4x16x4xf32>
    %158 = stablehlo.multiply %155, %155 : tensor<4x16x1xf32>
    %cst_33 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %159 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %160 = stablehlo.divide %159, %158 : tensor<4x16x1xf32>
    %161 = call @argmax(%157) : (tensor<4x16x4xf32>) -> tensor<4x16xi32>
    %162 = call @_one_hot(%161) : (tensor<4x16xi32>) -> tensor<4x16x4xf32>
    %163 = stablehlo.multiply %157, %162 : tensor<4x16x4xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %164 = stablehlo.reduce(%163 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %cst_35 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %165 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<4x16x4xf32>
    %166 = stablehlo.subtract %165, %162 : tensor<4x16x4xf32>
    %167 = stablehlo.multiply %157, %166 : tensor<4x16x4xf32>
    %168 = call @argmax(%167) : (tensor<4x16x4xf32>) -> tensor<4x16xi32>
    %169 = call @_one_hot(%168) : (tensor<4x16xi32>) -> tensor<4x16x4xf32>
    %170 = stablehlo.multiply %157, %169 : tensor<4x16x4xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %171 = stablehlo.reduce(%170 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %172 = stablehlo.reduce(%162 init: %cst_37) applies stablehlo.add across dimensions = [1] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %cst_38 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %173 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %174 = stablehlo.divide %172, %173 : tensor<4x4xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %175 = stablehlo.reduce(%157 init: %cst_39) applies stablehlo.add across dimensions = [1] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %cst_40 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %176 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %177 = stablehlo.divide %175, %176 : tensor<4x4xf32>
    %178 = stablehlo.multiply %174, %177 : tensor<4x4xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %179 = stablehlo.reduce(%178 init: %cst_41) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_42 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %180 = stablehlo.divide %179, %cst_42 : tensor<f32>
    %cst_43 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %181 = stablehlo.multiply %180, %cst_43 : tensor<f32>
    %cst_44 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %182 = stablehlo.multiply %181, %cst_44 : tensor<f32>
    %183 = call @cumsum(%162) : (tensor<4x16x4xf32>) -> tensor<4x16x4xf32>
    %184 = stablehlo.subtract %183, %162 : tensor<4x16x4xf32>
    %185 = stablehlo.multiply %184, %162 : tensor<4x16x4xf32>
    %cst_45 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %186 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<4x16x4xf32>
    %187 = stablehlo.compare LT, %185, %186, FLOAT : (tensor<4x16x4xf32>, tensor<4x16x4xf32>) -> tensor<4x16x4xi1>
    %188 = stablehlo.convert %187 : (tensor<4x16x4xi1>) -> tensor<4x16x4xf32>
    %189 = stablehlo.multiply %162, %188 : tensor<4x16x4xf32>
    %190 = call @cumsum(%169) : (tensor<4x16x4xf32>) -> tensor<4x16x4xf32>
    %191 = stablehlo.subtract %190, %169 : tensor<4x16x4xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %192 = stablehlo.reduce(%189 init: %cst_46) applies stablehlo.add across dimensions = [1] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %193 = stablehlo.broadcast_in_dim %192, dims = [0, 2] : (tensor<4x4xf32>) -> tensor<4x1x4xf32>
    %194 = stablehlo.broadcast_in_dim %193, dims = [0, 1, 2] : (tensor<4x1x4xf32>) -> tensor<4x16x4xf32>
    %195 = stablehlo.add %191, %194 : tensor<4x16x4xf32>
    %196 = stablehlo.multiply %195, %169 : tensor<4x16x4xf32>
    %cst_47 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %197 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<4x16x4xf32>
    %198 = stablehlo.compare LT, %196, %197, FLOAT : (tensor<4x16x4xf32>, tensor<4x16x4xf32>) -> tensor<4x16x4xi1>
    %199 = stablehlo.convert %198 : (tensor<4x16x4xi1>) -> tensor<4x16x4xf32>
    %200 = stablehlo.multiply %169, %199 : tensor<4x16x4xf32>
    %201 = stablehlo.add %164, %171 : tensor<4x16xf32>
    %cst_48 = stablehlo.constant dense<9.99999971E-10> : tensor<f32>
    %202 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %203 = stablehlo.add %201, %202 : tensor<4x16xf32>
    %204 = stablehlo.multiply %185, %189 : tensor<4x16x4xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %205 = stablehlo.reduce(%204 init: %cst_49) applies stablehlo.add across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %206 = stablehlo.convert %205 : (tensor<4x16xf32>) -> tensor<4x16xi32>
    %207 = call @_one_hot_1(%206) : (tensor<4x16xi32>) -> tensor<4x16x8xf32>
    %208 = stablehlo.divide %164, %203 : tensor<4x16xf32>
    %209 = stablehlo.multiply %203, %203 : tensor<4x16xf32>
    %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %210 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %211 = stablehlo.divide %210, %209 : tensor<4x16xf32>
    %212 = stablehlo.broadcast_in_dim %208, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1x1xf32>
    %213 = stablehlo.broadcast_in_dim %189, dims = [0, 1, 2] : (tensor<4x16x4xf32>) -> tensor<4x16x4x1xf32>
    %214 = stablehlo.broadcast_in_dim %212, dims = [0, 1, 2, 3] : (tensor<4x16x1x1xf32>) -> tensor<4x16x4x1xf32>
    %215 = stablehlo.multiply %214, %213 : tensor<4x16x4x1xf32>
    %216 = stablehlo.broadcast_in_dim %207, dims = [0, 1, 3] : (tensor<4x16x8xf32>) -> tensor<4x16x1x8xf32>
    %217 = stablehlo.broadcast_in_dim %215, dims = [0, 1, 2, 3] : (tensor<4x16x4x1xf32>) -> tensor<4x16x4x8xf32>
    %218 = stablehlo.broadcast_in_dim %216, dims = [0, 1, 2, 3] : (tensor<4x16x1x8xf32>) -> tensor<4x16x4x8xf32>
    %219 = stablehlo.multiply %217, %218 : tensor<4x16x4x8xf32>
    %220 = stablehlo.multiply %196, %200 : tensor<4x16x4xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %221 = stablehlo.reduce(%220 init: %cst_51) applies stablehlo.add across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %222 = stablehlo.convert %221 : (tensor<4x16xf32>) -> tensor<4x16xi32>
    %223 = call @_one_hot_1(%222) : (tensor<4x16xi32>) -> tensor<4x16x8xf32>
    %224 = stablehlo.divide %171, %203 : tensor<4x16xf32>
    %225 = stablehlo.multiply %203, %203 : tensor<4x16xf32>
    %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %227 = stablehlo.divide %226, %225 : tensor<4x16xf32>
    %228 = stablehlo.broadcast_in_dim %224, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1x1xf32>
    %229 = stablehlo.broadcast_in_dim %200, dims = [0, 1, 2] : (tensor<4x16x4xf32>) -> tensor<4x16x4x1xf32>
    %230 = stablehlo.broadcast_in_dim %228, dims = [0, 1, 2, 3] : (tensor<4x16x1x1xf32>) -> tensor<4x16x4x1xf32>
    %231 = stablehlo.multiply %230, %229 : tensor<4x16x4x1xf32>
    %232 = stablehlo.broadcast_in_dim %223, dims = [0, 1, 3] : (tensor<4x16x8xf32>) -> tensor<4x16x1x8xf32>
    %233 = stablehlo.broadcast_in_dim %231, dims = [0, 1, 2, 3] : (tensor<4x16x4x1xf32>) -> tensor<4x16x4x8xf32>
    %234 = stablehlo.broadcast_in_dim %232, dims = [0, 1, 2, 3] : (tensor<4x16x1x8xf32>) -> tensor<4x16x4x8xf32>
    %235 = stablehlo.multiply %233, %234 : tensor<4x16x4x8xf32>
    %236 = stablehlo.add %219, %235 : tensor<4x16x4x8xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %237 = stablehlo.add %cst_53, %182 : tensor<f32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %238 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<4x16x4x8xf32>
    %239 = stablehlo.compare GT, %236, %238, FLOAT : (tensor<4x16x4x8xf32>, tensor<4x16x4x8xf32>) -> tensor<4x16x4x8xi1>
    %240 = stablehlo.convert %239 : (tensor<4x16x4x8xi1>) -> tensor<4x16x4x8xf32>
    %241 = stablehlo.dot_general %145, %240, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<4x16x4x8xf32>) -> tensor<4x32x4x8xf32>
    %242 = stablehlo.transpose %241, dims = [2, 0, 3, 1] : (tensor<4x32x4x8xf32>) -> tensor<4x4x8x32xf32>
    %243 = sdy.sharding_constraint %242 <@mesh, [{"x"}, {}, {}, {}]> : tensor<4x4x8x32xf32>
    %244 = stablehlo.dot_general %243, %arg11, batching_dims = [0] x [0], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8x32xf32>, tensor<4x32x64xf32>) -> tensor<4x4x8x64xf32>
    %245 = call @relu_2(%244) : (tensor<4x4x8x64xf32>) -> tensor<4x4x8x64xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %246 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<4x4x8x64xf32>
    %247 = stablehlo.compare GT, %244, %246, FLOAT : (tensor<4x4x8x64xf32>, tensor<4x4x8x64xf32>) -> tensor<4x4x8x64xi1>
    %248 = sdy.sharding_constraint %245 <@mesh, [{"x"}, {}, {}, {"y"}]> : tensor<4x4x8x64xf32>
    %249 = stablehlo.dot_general %arg12, %248, batching_dims = [0] x [0], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x64x32xf32>, tensor<4x4x8x64xf32>) -> tensor<4x32x4x8xf32>
    %250 = stablehlo.transpose %249, dims = [2, 0, 3, 1] : (tensor<4x32x4x8xf32>) -> tensor<4x4x8x32xf32>
    %251 = sdy.sharding_constraint %250 <@mesh, [{"x"}, {}, {}, {}]> : tensor<4x4x8x32xf32>
    %252 = stablehlo.dot_general %236, %251, batching_dims = [0] x [0], contracting_dims = [3, 2] x [2, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x4x8xf32>, tensor<4x4x8x32xf32>) -> tensor<4x16x32xf32>
    %253 = stablehlo.add %129, %252 : tensor<4x16x32xf32>
    %254 = sdy.sharding_constraint %253 <@mesh, [{"x"}, {}, {}]> : tensor<4x16x32xf32>
    %255 = stablehlo.dot_general %254, %arg13, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<64x32xf32>) -> tensor<4x16x64xf32>
    %256 = call @_roll_static(%arg14) : (tensor<4x16xi32>) -> tensor<4x16xi32>
    %257:3 = call @log_softmax(%255) : (tensor<4x16x64xf32>) -> (tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x1xf32>)
    %258 = stablehlo.broadcast_in_dim %256, dims = [0, 1] : (tensor<4x16xi32>) -> tensor<4x16x1xi32>
    %259:2 = call @take_along_axis(%257#0, %258) : (tensor<4x16x64xf32>, tensor<4x16x1xi32>) -> (tensor<4x16x1xf32>, tensor<4x16x1x1xi32>)
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %260 = stablehlo.reduce(%259#0 init: %cst_56) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x16x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_57 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %261 = stablehlo.divide %260, %cst_57 : tensor<f32>
    %262 = stablehlo.negate %261 : tensor<f32>
    %cst_58 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %263 = stablehlo.multiply %cst_58, %237 : tensor<f32>
    %264 = stablehlo.add %262, %263 : tensor<f32>
    %cst_59 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_60 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %265 = stablehlo.multiply %cst_60, %cst_59 : tensor<f32>
    %266 = stablehlo.negate %cst_59 : tensor<f32>
    %cst_61 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %267 = stablehlo.divide %266, %cst_61 : tensor<f32>
    %268 = stablehlo.broadcast_in_dim %267, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %269 = call @take_along_axis_3(%259#1, %268) : (tensor<4x16x1x1xi32>, tensor<4x16x1xf32>) -> tensor<4x16x64xf32>
    %270 = call @log_softmax_4(%257#1, %257#2, %269) : (tensor<4x16x64xf32>, tensor<4x16x1xf32>, tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
    %271 = stablehlo.dot_general %270, %254, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x64xf32>, tensor<4x16x32xf32>) -> tensor<64x32xf32>
    %272 = stablehlo.dot_general %270, %arg13, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x64xf32>, tensor<64x32xf32>) -> tensor<4x16x32xf32>
    %273 = sdy.sharding_constraint %272 <@mesh, [{"x"}, {}, {}]> : tensor<4x16x32xf32>
    %274 = stablehlo.dot_general %273, %236, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<4x16x4x8xf32>) -> tensor<4x32x4x8xf32>
    %275 = stablehlo.transpose %274, dims = [0, 2, 3, 1] : (tensor<4x32x4x8xf32>) -> tensor<4x4x8x32xf32>
    %276 = stablehlo.dot_general %273, %251, batching_dims = [0] x [0], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<4x4x8x32xf32>) -> tensor<4x16x4x8xf32>
    %277 = sdy.sharding_constraint %275 <@mesh, [{"x"}, {}, {}, {}]> : tensor<4x4x8x32xf32>
    %278 = stablehlo.transpose %277, dims = [1, 3, 0, 2] : (tensor<4x4x8x32xf32>) -> tensor<4x32x4x8xf32>
    %279 = stablehlo.dot_general %278, %arg12, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x32x4x8xf32>, tensor<4x64x32xf32>) -> tensor<4x4x8x64xf32>
    %280 = stablehlo.dot_general %278, %248, batching_dims = [0] x [0], contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x32x4x8xf32>, tensor<4x4x8x64xf32>) -> tensor<4x32x64xf32>
    %281 = stablehlo.transpose %280, dims = [0, 2, 1] : (tensor<4x32x64xf32>) -> tensor<4x64x32xf32>
    %282 = sdy.sharding_constraint %279 <@mesh, [{"x"}, {}, {}, {"y"}]> : tensor<4x4x8x64xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %283 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<4x4x8x64xf32>
    %284 = stablehlo.select %247, %282, %283 : tensor<4x4x8x64xi1>, tensor<4x4x8x64xf32>
    %285 = stablehlo.dot_general %284, %243, batching_dims = [0] x [0], contracting_dims = [1, 2] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8x64xf32>, tensor<4x4x8x32xf32>) -> tensor<4x64x32xf32>
    %286 = stablehlo.transpose %285, dims = [0, 2, 1] : (tensor<4x64x32xf32>) -> tensor<4x32x64xf32>
    %287 = stablehlo.dot_general %284, %arg11, batching_dims = [0] x [0], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8x64xf32>, tensor<4x32x64xf32>) -> tensor<4x4x8x32xf32>
    %288 = sdy.sharding_constraint %287 <@mesh, [{"x"}, {}, {}, {}]> : tensor<4x4x8x32xf32>
    %289 = stablehlo.transpose %288, dims = [1, 3, 0, 2] : (tensor<4x4x8x32xf32>) -> tensor<4x32x4x8xf32>
    %290 = stablehlo.dot_general %289, %240, batching_dims = [0] x [0], contracting_dims = [2, 3] x [2, 3], precision = [DEFAULT, DEFAULT] : (tensor<4x32x4x8xf32>, tensor<4x16x4x8xf32>) -> tensor<4x32x16xf32>
    %291 = stablehlo.transpose %290, dims = [0, 2, 1] : (tensor<4x32x16xf32>) -> tensor<4x16x32xf32>
    %292 = stablehlo.broadcast_in_dim %232, dims = [0, 1, 2, 3] : (tensor<4x16x1x8xf32>) -> tensor<4x16x4x8xf32>
    %293 = stablehlo.multiply %276, %292 : tensor<4x16x4x8xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %294 = stablehlo.reduce(%293 init: %cst_63) applies stablehlo.add across dimensions = [3] : (tensor<4x16x4x8xf32>, tensor<f32>) -> tensor<4x16x4xf32>
    %295 = stablehlo.reshape %294 : (tensor<4x16x4xf32>) -> tensor<4x16x4x1xf32>
    %296 = stablehlo.multiply %295, %229 : tensor<4x16x4x1xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %297 = stablehlo.reduce(%296 init: %cst_64) applies stablehlo.add across dimensions = [2] : (tensor<4x16x4x1xf32>, tensor<f32>) -> tensor<4x16x1xf32>
    %298 = stablehlo.reshape %297 : (tensor<4x16x1xf32>) -> tensor<4x16x1x1xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %299 = stablehlo.reduce(%298 init: %cst_65) applies stablehlo.add across dimensions = [2, 3] : (tensor<4x16x1x1xf32>, tensor<f32>) -> tensor<4x16xf32>
    %300 = stablehlo.multiply %299, %227 : tensor<4x16xf32>
    %301 = stablehlo.multiply %300, %171 : tensor<4x16xf32>
    %302 = stablehlo.negate %301 : tensor<4x16xf32>
    %303 = stablehlo.divide %299, %203 : tensor<4x16xf32>
    %304 = stablehlo.broadcast_in_dim %216, dims = [0, 1, 2, 3] : (tensor<4x16x1x8xf32>) -> tensor<4x16x4x8xf32>
    %305 = stablehlo.multiply %276, %304 : tensor<4x16x4x8xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %306 = stablehlo.reduce(%305 init: %cst_66) applies stablehlo.add across dimensions = [3] : (tensor<4x16x4x8xf32>, tensor<f32>) -> tensor<4x16x4xf32>
    %307 = stablehlo.reshape %306 : (tensor<4x16x4xf32>) -> tensor<4x16x4x1xf32>
    %308 = stablehlo.multiply %307, %213 : tensor<4x16x4x1xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %309 = stablehlo.reduce(%308 init: %cst_67) applies stablehlo.add across dimensions = [2] : (tensor<4x16x4x1xf32>, tensor<f32>) -> tensor<4x16x1xf32>
    %310 = stablehlo.reshape %309 : (tensor<4x16x1xf32>) -> tensor<4x16x1x1xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %311 = stablehlo.reduce(%310 init: %cst_68) applies stablehlo.add across dimensions = [2, 3] : (tensor<4x16x1x1xf32>, tensor<f32>) -> tensor<4x16xf32>
    %312 = stablehlo.multiply %311, %211 : tensor<4x16xf32>
    %313 = stablehlo.multiply %312, %164 : tensor<4x16xf32>
    %314 = stablehlo.negate %313 : tensor<4x16xf32>
    %315 = stablehlo.add %302, %314 : tensor<4x16xf32>
    %316 = stablehlo.divide %311, %203 : tensor<4x16xf32>
    %317 = stablehlo.add %316, %315 : tensor<4x16xf32>
    %318 = stablehlo.add %303, %315 : tensor<4x16xf32>
    %cst_69 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %319 = stablehlo.multiply %265, %cst_69 : tensor<f32>
    %cst_70 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %320 = stablehlo.multiply %319, %cst_70 : tensor<f32>
    %cst_71 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %321 = stablehlo.divide %320, %cst_71 : tensor<f32>
    %322 = stablehlo.broadcast_in_dim %321, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %323 = stablehlo.multiply %174, %322 : tensor<4x4xf32>
    %cst_72 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %324 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %325 = stablehlo.divide %323, %324 : tensor<4x4xf32>
    %326 = stablehlo.broadcast_in_dim %325, dims = [0, 2] : (tensor<4x4xf32>) -> tensor<4x16x4xf32>
    %327 = stablehlo.broadcast_in_dim %318, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x4xf32>
    %328 = stablehlo.multiply %327, %169 : tensor<4x16x4xf32>
    %329 = stablehlo.add %326, %328 : tensor<4x16x4xf32>
    %330 = stablehlo.broadcast_in_dim %317, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x4xf32>
    %331 = stablehlo.multiply %330, %162 : tensor<4x16x4xf32>
    %332 = stablehlo.add %329, %331 : tensor<4x16x4xf32>
    %333 = stablehlo.broadcast_in_dim %160, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x4xf32>
    %334 = stablehlo.multiply %332, %333 : tensor<4x16x4xf32>
    %335 = stablehlo.multiply %334, %153 : tensor<4x16x4xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %336 = stablehlo.reduce(%335 init: %cst_73) applies stablehlo.add across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %337 = stablehlo.reshape %336 : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %338 = stablehlo.negate %337 : tensor<4x16x1xf32>
    %339 = stablehlo.broadcast_in_dim %155, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x4xf32>
    %340 = stablehlo.divide %332, %339 : tensor<4x16x4xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %341 = stablehlo.reduce(%338 init: %cst_74) applies stablehlo.add across dimensions = [2] : (tensor<4x16x1xf32>, tensor<f32>) -> tensor<4x16xf32>
    %342 = stablehlo.broadcast_in_dim %341, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x4xf32>
    %343 = stablehlo.add %340, %342 : tensor<4x16x4xf32>
    %344 = stablehlo.multiply %343, %153 : tensor<4x16x4xf32>
    %345 = stablehlo.dot_general %344, %145, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x4xf32>, tensor<4x16x32xf32>) -> tensor<4x32xf32>
    %346 = stablehlo.transpose %345, dims = [1, 0] : (tensor<4x32xf32>) -> tensor<32x4xf32>
    %347 = stablehlo.dot_general %344, %arg10, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x4xf32>, tensor<32x4xf32>) -> tensor<4x16x32xf32>
    %348 = stablehlo.add %291, %347 : tensor<4x16x32xf32>
    %349 = stablehlo.multiply %142, %348 : tensor<4x16x32xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %350 = stablehlo.reduce(%349 init: %cst_75) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %351 = stablehlo.reshape %350 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %352 = stablehlo.broadcast_in_dim %143, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<4x16x32xf32>
    %353 = stablehlo.multiply %348, %352 : tensor<4x16x32xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %354 = stablehlo.reduce(%351 init: %cst_76) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %355 = stablehlo.multiply %129, %353 : tensor<4x16x32xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %356 = stablehlo.reduce(%355 init: %cst_77) applies stablehlo.add across dimensions = [2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x16xf32>
    %357 = stablehlo.reshape %356 : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %358 = stablehlo.broadcast_in_dim %137, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x32xf32>
    %359 = stablehlo.multiply %353, %358 : tensor<4x16x32xf32>
    %360 = stablehlo.add %273, %359 : tensor<4x16x32xf32>
    %361 = stablehlo.multiply %357, %140 : tensor<4x16x1xf32>
    %cst_78 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %362 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %363 = stablehlo.divide %361, %362 : tensor<4x16x1xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %364 = stablehlo.reduce(%363 init: %cst_79) applies stablehlo.add across dimensions = [2] : (tensor<4x16x1xf32>, tensor<f32>) -> tensor<4x16xf32>
    %365 = stablehlo.broadcast_in_dim %364, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x32xf32>
    %366 = stablehlo.multiply %129, %365 : tensor<4x16x32xf32>
    %367 = stablehlo.add %360, %366 : tensor<4x16x32xf32>
    %368 = stablehlo.multiply %365, %129 : tensor<4x16x32xf32>
    %369 = stablehlo.add %367, %368 : tensor<4x16x32xf32>
    %370 = sdy.sharding_constraint %369 <@mesh, [{"x"}, {}, {}]> : tensor<4x16x32xf32>
    %371 = stablehlo.dot_general %370, %126, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<4x16x2x16xf32>) -> tensor<32x2x16xf32>
    %372 = stablehlo.transpose %371, dims = [1, 2, 0] : (tensor<32x2x16xf32>) -> tensor<2x16x32xf32>
    %373 = stablehlo.dot_general %370, %arg8, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<2x16x32xf32>) -> tensor<4x16x2x16xf32>
    %374 = sdy.sharding_constraint %373 <@mesh, [{"x"}, {}, {"y"}, {}]> : tensor<4x16x2x16xf32>
    %375 = stablehlo.transpose %374, dims = [0, 2, 3, 1] : (tensor<4x16x2x16xf32>) -> tensor<4x2x16x16xf32>
    %376 = stablehlo.dot_general %375, %105, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x16x16xf32>, tensor<4x16x2x16xf32>) -> tensor<4x2x16x16xf32>
    %377 = stablehlo.dot_general %375, %120, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x16x16xf32>, tensor<4x2x16x16xf32>) -> tensor<4x2x16x16xf32>
    %378 = stablehlo.transpose %377, dims = [0, 3, 1, 2] : (tensor<4x2x16x16xf32>) -> tensor<4x16x2x16xf32>
    %379 = stablehlo.broadcast_in_dim %123, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %380 = stablehlo.multiply %376, %379 : tensor<4x2x16x16xf32>
    %381 = stablehlo.multiply %380, %116 : tensor<4x2x16x16xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %382 = stablehlo.reduce(%381 init: %cst_80) applies stablehlo.add across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %383 = stablehlo.reshape %382 : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %384 = stablehlo.negate %383 : tensor<4x2x16x1xf32>
    %385 = stablehlo.broadcast_in_dim %118, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %386 = stablehlo.divide %376, %385 : tensor<4x2x16x16xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %387 = stablehlo.reduce(%384 init: %cst_81) applies stablehlo.add across dimensions = [3] : (tensor<4x2x16x1xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %388 = stablehlo.broadcast_in_dim %387, dims = [0, 1, 2] : (tensor<4x2x16xf32>) -> tensor<4x2x16x16xf32>
    %389 = stablehlo.add %386, %388 : tensor<4x2x16x16xf32>
    %390 = stablehlo.multiply %389, %116 : tensor<4x2x16x16xf32>
    %391 = call @_where_5(%109#1, %390) : (tensor<4x2x16x16xi1>, tensor<4x2x16x16xf32>) -> tensor<4x2x16x16xf32>
    %cst_82 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %392 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<4x2x16x16xf32>
    %393 = stablehlo.divide %391, %392 : tensor<4x2x16x16xf32>
    %394 = stablehlo.dot_general %393, %101, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x16x16xf32>, tensor<4x16x2x16xf32>) -> tensor<4x2x16x16xf32>
    %395 = stablehlo.transpose %394, dims = [0, 2, 1, 3] : (tensor<4x2x16x16xf32>) -> tensor<4x16x2x16xf32>
    %396 = stablehlo.dot_general %393, %103, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x16x16xf32>, tensor<4x16x2x16xf32>) -> tensor<4x2x16x16xf32>
    %397 = stablehlo.transpose %396, dims = [0, 2, 1, 3] : (tensor<4x2x16x16xf32>) -> tensor<4x16x2x16xf32>
    %398 = stablehlo.broadcast_in_dim %378, dims = [1, 2, 3, 4] : (tensor<4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %399 = stablehlo.pad %398, %cst_83, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x16x2x16xf32>, tensor<f32>) -> tensor<3x4x16x2x16xf32>
    %400 = stablehlo.broadcast_in_dim %395, dims = [1, 2, 3, 4] : (tensor<4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %401 = stablehlo.pad %400, %cst_84, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x16x2x16xf32>, tensor<f32>) -> tensor<3x4x16x2x16xf32>
    %402 = stablehlo.add %399, %401 : tensor<3x4x16x2x16xf32>
    %403 = stablehlo.broadcast_in_dim %397, dims = [1, 2, 3, 4] : (tensor<4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %404 = stablehlo.pad %403, %cst_85, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x16x2x16xf32>, tensor<f32>) -> tensor<3x4x16x2x16xf32>
    %405 = stablehlo.add %402, %404 : tensor<3x4x16x2x16xf32>
    %406 = stablehlo.transpose %405, dims = [0, 3, 4, 1, 2] : (tensor<3x4x16x2x16xf32>) -> tensor<3x2x16x4x16xf32>
    %407 = stablehlo.dot_general %406, %arg9, contracting_dims = [0, 1, 2] x [0, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x16x4x16xf32>, tensor<3x32x2x16xf32>) -> tensor<4x16x32xf32>
    %408 = stablehlo.dot_general %406, %97, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x2x16x4x16xf32>, tensor<4x16x32xf32>) -> tensor<3x2x16x32xf32>
    %409 = stablehlo.transpose %408, dims = [0, 3, 1, 2] : (tensor<3x2x16x32xf32>) -> tensor<3x32x2x16xf32>
    %410 = stablehlo.multiply %94, %407 : tensor<4x16x32xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %411 = stablehlo.reduce(%410 init: %cst_86) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %412 = stablehlo.reshape %411 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %413 = stablehlo.broadcast_in_dim %95, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<4x16x32xf32>
    %414 = stablehlo.multiply %407, %413 : tensor<4x16x32xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %415 = stablehlo.reduce(%412 init: %cst_87) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %416 = stablehlo.multiply %81, %414 : tensor<4x16x32xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %417 = stablehlo.reduce(%416 init: %cst_88) applies stablehlo.add across dimensions = [2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x16xf32>
    %418 = stablehlo.reshape %417 : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %419 = stablehlo.broadcast_in_dim %89, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x32xf32>
    %420 = stablehlo.multiply %414, %419 : tensor<4x16x32xf32>
    %421 = stablehlo.add %370, %420 : tensor<4x16x32xf32>
    %422 = stablehlo.multiply %418, %92 : tensor<4x16x1xf32>
    %cst_89 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %423 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %424 = stablehlo.divide %422, %423 : tensor<4x16x1xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %425 = stablehlo.reduce(%424 init: %cst_90) applies stablehlo.add across dimensions = [2] : (tensor<4x16x1xf32>, tensor<f32>) -> tensor<4x16xf32>
    %426 = stablehlo.broadcast_in_dim %425, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x32xf32>
    %427 = stablehlo.multiply %81, %426 : tensor<4x16x32xf32>
    %428 = stablehlo.add %421, %427 : tensor<4x16x32xf32>
    %429 = stablehlo.multiply %426, %81 : tensor<4x16x32xf32>
    %430 = stablehlo.add %428, %429 : tensor<4x16x32xf32>
    %431 = sdy.sharding_constraint %430 <@mesh, [{"x"}, {}, {}]> : tensor<4x16x32xf32>
    %432 = stablehlo.dot_general %431, %78, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<4x16x64xf32>) -> tensor<32x64xf32>
    %433 = stablehlo.transpose %432, dims = [1, 0] : (tensor<32x64xf32>) -> tensor<64x32xf32>
    %434 = stablehlo.dot_general %431, %arg5, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<64x32xf32>) -> tensor<4x16x64xf32>
    %435 = sdy.sharding_constraint %434 <@mesh, [{"x"}, {}, {"y"}]> : tensor<4x16x64xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %436 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %437 = stablehlo.select %77, %435, %436 : tensor<4x16x64xi1>, tensor<4x16x64xf32>
    %438 = stablehlo.dot_general %437, %73, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x64xf32>, tensor<4x16x32xf32>) -> tensor<64x32xf32>
    %439 = stablehlo.transpose %438, dims = [1, 0] : (tensor<64x32xf32>) -> tensor<32x64xf32>
    %440 = stablehlo.dot_general %437, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x64xf32>, tensor<32x64xf32>) -> tensor<4x16x32xf32>
    %441 = stablehlo.multiply %70, %440 : tensor<4x16x32xf32>
    %cst_92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %442 = stablehlo.reduce(%441 init: %cst_92) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %443 = stablehlo.reshape %442 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %444 = stablehlo.broadcast_in_dim %71, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<4x16x32xf32>
    %445 = stablehlo.multiply %440, %444 : tensor<4x16x32xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %446 = stablehlo.reduce(%443 init: %cst_93) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %447 = stablehlo.multiply %57, %445 : tensor<4x16x32xf32>
    %cst_94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %448 = stablehlo.reduce(%447 init: %cst_94) applies stablehlo.add across dimensions = [2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x16xf32>
    %449 = stablehlo.reshape %448 : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %450 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x32xf32>
    %451 = stablehlo.multiply %445, %450 : tensor<4x16x32xf32>
    %452 = stablehlo.add %431, %451 : tensor<4x16x32xf32>
    %453 = stablehlo.multiply %449, %68 : tensor<4x16x1xf32>
    %cst_95 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %454 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %455 = stablehlo.divide %453, %454 : tensor<4x16x1xf32>
    %cst_96 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %456 = stablehlo.reduce(%455 init: %cst_96) applies stablehlo.add across dimensions = [2] : (tensor<4x16x1xf32>, tensor<f32>) -> tensor<4x16xf32>
    %457 = stablehlo.broadcast_in_dim %456, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x32xf32>
    %458 = stablehlo.multiply %57, %457 : tensor<4x16x32xf32>
    %459 = stablehlo.add %452, %458 : tensor<4x16x32xf32>
    %460 = stablehlo.multiply %457, %57 : tensor<4x16x32xf32>
    %461 = stablehlo.add %459, %460 : tensor<4x16x32xf32>
    %462 = sdy.sharding_constraint %461 <@mesh, [{"x"}, {}, {}]> : tensor<4x16x32xf32>
    %463 = stablehlo.dot_general %462, %54, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<4x16x2x16xf32>) -> tensor<32x2x16xf32>
    %464 = stablehlo.transpose %463, dims = [1, 2, 0] : (tensor<32x2x16xf32>) -> tensor<2x16x32xf32>
    %465 = stablehlo.dot_general %462, %arg2, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<2x16x32xf32>) -> tensor<4x16x2x16xf32>
    %466 = sdy.sharding_constraint %465 <@mesh, [{"x"}, {}, {"y"}, {}]> : tensor<4x16x2x16xf32>
    %467 = stablehlo.transpose %466, dims = [0, 2, 3, 1] : (tensor<4x16x2x16xf32>) -> tensor<4x2x16x16xf32>
    %468 = stablehlo.dot_general %467, %33, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x16x16xf32>, tensor<4x16x2x16xf32>) -> tensor<4x2x16x16xf32>
    %469 = stablehlo.dot_general %467, %48, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x16x16xf32>, tensor<4x2x16x16xf32>) -> tensor<4x2x16x16xf32>
    %470 = stablehlo.transpose %469, dims = [0, 3, 1, 2] : (tensor<4x2x16x16xf32>) -> tensor<4x16x2x16xf32>
    %471 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %472 = stablehlo.multiply %468, %471 : tensor<4x2x16x16xf32>
    %473 = stablehlo.multiply %472, %44 : tensor<4x2x16x16xf32>
    %cst_97 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %474 = stablehlo.reduce(%473 init: %cst_97) applies stablehlo.add across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %475 = stablehlo.reshape %474 : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %476 = stablehlo.negate %475 : tensor<4x2x16x1xf32>
    %477 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %478 = stablehlo.divide %468, %477 : tensor<4x2x16x16xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %479 = stablehlo.reduce(%476 init: %cst_98) applies stablehlo.add across dimensions = [3] : (tensor<4x2x16x1xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %480 = stablehlo.broadcast_in_dim %479, dims = [0, 1, 2] : (tensor<4x2x16xf32>) -> tensor<4x2x16x16xf32>
    %481 = stablehlo.add %478, %480 : tensor<4x2x16x16xf32>
    %482 = stablehlo.multiply %481, %44 : tensor<4x2x16x16xf32>
    %483 = call @_where_5(%37#1, %482) : (tensor<4x2x16x16xi1>, tensor<4x2x16x16xf32>) -> tensor<4x2x16x16xf32>
    %cst_99 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %484 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<4x2x16x16xf32>
    %485 = stablehlo.divide %483, %484 : tensor<4x2x16x16xf32>
    %486 = stablehlo.dot_general %485, %29, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x16x16xf32>, tensor<4x16x2x16xf32>) -> tensor<4x2x16x16xf32>
    %487 = stablehlo.transpose %486, dims = [0, 2, 1, 3] : (tensor<4x2x16x16xf32>) -> tensor<4x16x2x16xf32>
    %488 = stablehlo.dot_general %485, %31, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x16x16xf32>, tensor<4x16x2x16xf32>) -> tensor<4x2x16x16xf32>
    %489 = stablehlo.transpose %488, dims = [0, 2, 1, 3] : (tensor<4x2x16x16xf32>) -> tensor<4x16x2x16xf32>
    %490 = stablehlo.broadcast_in_dim %470, dims = [1, 2, 3, 4] : (tensor<4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %491 = stablehlo.pad %490, %cst_100, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x16x2x16xf32>, tensor<f32>) -> tensor<3x4x16x2x16xf32>
    %492 = stablehlo.broadcast_in_dim %487, dims = [1, 2, 3, 4] : (tensor<4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %493 = stablehlo.pad %492, %cst_101, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x16x2x16xf32>, tensor<f32>) -> tensor<3x4x16x2x16xf32>
    %494 = stablehlo.add %491, %493 : tensor<3x4x16x2x16xf32>
    %495 = stablehlo.broadcast_in_dim %489, dims = [1, 2, 3, 4] : (tensor<4x16x2x16xf32>) -> tensor<1x4x16x2x16xf32>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %496 = stablehlo.pad %495, %cst_102, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x16x2x16xf32>, tensor<f32>) -> tensor<3x4x16x2x16xf32>
    %497 = stablehlo.add %494, %496 : tensor<3x4x16x2x16xf32>
    %498 = stablehlo.transpose %497, dims = [0, 3, 4, 1, 2] : (tensor<3x4x16x2x16xf32>) -> tensor<3x2x16x4x16xf32>
    %499 = stablehlo.dot_general %498, %arg3, contracting_dims = [0, 1, 2] x [0, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x16x4x16xf32>, tensor<3x32x2x16xf32>) -> tensor<4x16x32xf32>
    %500 = stablehlo.dot_general %498, %25, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x2x16x4x16xf32>, tensor<4x16x32xf32>) -> tensor<3x2x16x32xf32>
    %501 = stablehlo.transpose %500, dims = [0, 3, 1, 2] : (tensor<3x2x16x32xf32>) -> tensor<3x32x2x16xf32>
    %502 = stablehlo.multiply %22, %499 : tensor<4x16x32xf32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %503 = stablehlo.reduce(%502 init: %cst_103) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %504 = stablehlo.reshape %503 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %505 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<4x16x32xf32>
    %506 = stablehlo.multiply %499, %505 : tensor<4x16x32xf32>
    %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %507 = stablehlo.reduce(%504 init: %cst_104) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %508 = stablehlo.multiply %7, %506 : tensor<4x16x32xf32>
    %cst_105 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %509 = stablehlo.reduce(%508 init: %cst_105) applies stablehlo.add across dimensions = [2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x16xf32>
    %510 = stablehlo.reshape %509 : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %511 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x32xf32>
    %512 = stablehlo.multiply %506, %511 : tensor<4x16x32xf32>
    %513 = stablehlo.add %462, %512 : tensor<4x16x32xf32>
    %514 = stablehlo.multiply %510, %20 : tensor<4x16x1xf32>
    %cst_106 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %515 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %516 = stablehlo.divide %514, %515 : tensor<4x16x1xf32>
    %cst_107 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %517 = stablehlo.reduce(%516 init: %cst_107) applies stablehlo.add across dimensions = [2] : (tensor<4x16x1xf32>, tensor<f32>) -> tensor<4x16xf32>
    %518 = stablehlo.broadcast_in_dim %517, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x32xf32>
    %519 = stablehlo.multiply %7, %518 : tensor<4x16x32xf32>
    %520 = stablehlo.add %513, %519 : tensor<4x16x32xf32>
    %521 = stablehlo.multiply %518, %7 : tensor<4x16x32xf32>
    %522 = stablehlo.add %520, %521 : tensor<4x16x32xf32>
    %523 = sdy.sharding_constraint %522 <@mesh, [{"x"}, {}, {}]> : tensor<4x16x32xf32>
    %cst_108 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %524 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %525 = "stablehlo.scatter"(%524, %5, %523) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg15: tensor<f32>, %arg16: tensor<f32>):
      %527 = stablehlo.add %arg15, %arg16 : tensor<f32>
      stablehlo.return %527 : tensor<f32>
    }) : (tensor<64x32xf32>, tensor<4x16x1xi32>, tensor<4x16x32xf32>) -> tensor<64x32xf32>
    %526 = stablehlo.add %271, %525 : tensor<64x32xf32>
    return %264, %507, %446, %464, %501, %439, %433, %415, %354, %372, %409, %346, %286, %281, %526 : tensor<f32>, tensor<32xf32>, tensor<32xf32>, tensor<2x16x32xf32>, tensor<3x32x2x16xf32>, tensor<32x64xf32>, tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<2x16x32xf32>, tensor<3x32x2x16xf32>, tensor<32x4xf32>, tensor<4x32x64xf32>, tensor<4x64x32xf32>, tensor<64x32xf32>
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
  func.func private @_where(%arg0: tensor<16x16xi1>, %arg1: tensor<4x2x16x16xf32>, %arg2: tensor<f32>) -> (tensor<4x2x16x16xf32>, tensor<4x2x16x16xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<16x16xi1>) -> tensor<4x2x16x16xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x2x16x16xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<4x2x16x16xi1>, tensor<4x2x16x16xf32>
    return %3, %1 : tensor<4x2x16x16xf32>, tensor<4x2x16x16xi1>
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
  func.func private @log_softmax(%arg0: tensor<4x16x64xf32>) -> (tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x1xf32>) {
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
    return %11, %6, %8 : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<4x16x64xf32>, %arg1: tensor<4x16x1xi32>) -> (tensor<4x16x1xf32>, tensor<4x16x1x1xi32>) {
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
    return %15, %5 : tensor<4x16x1xf32>, tensor<4x16x1x1xi32>
  }
  func.func private @take_along_axis_3(%arg0: tensor<4x16x1x1xi32>, %arg1: tensor<4x16x1xf32>) -> tensor<4x16x64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x16x64xf32>, tensor<4x16x1x1xi32>, tensor<4x16x1xf32>) -> tensor<4x16x64xf32>
    return %1 : tensor<4x16x64xf32>
  }
  func.func private @log_softmax_4(%arg0: tensor<4x16x64xf32>, %arg1: tensor<4x16x1xf32>, %arg2: tensor<4x16x64xf32>) -> tensor<4x16x64xf32> {
    %0 = stablehlo.negate %arg2 : tensor<4x16x64xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<4x16x64xf32>, tensor<f32>) -> tensor<4x16xf32>
    %2 = stablehlo.reshape %1 : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<4x16x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<4x16x1xf32>, tensor<f32>) -> tensor<4x16xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x64xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<4x16x64xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<4x16x64xf32>
    return %7 : tensor<4x16x64xf32>
  }
  func.func private @_where_5(%arg0: tensor<4x2x16x16xi1>, %arg1: tensor<4x2x16x16xf32>) -> tensor<4x2x16x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x2x16x16xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<4x2x16x16xi1>, tensor<4x2x16x16xf32>
    return %1 : tensor<4x2x16x16xf32>
  }
}
