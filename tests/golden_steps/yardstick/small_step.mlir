module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 0 : i32}, %arg1: tensor<16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 1 : i32}, %arg2: tensor<2x8x16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 2 : i32}, %arg3: tensor<3x16x2x8xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 3 : i32}, %arg4: tensor<16x32xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 4 : i32}, %arg5: tensor<32x16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 5 : i32}, %arg6: tensor<16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 6 : i32}, %arg7: tensor<16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 7 : i32}, %arg8: tensor<2x8x16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 8 : i32}, %arg9: tensor<3x16x2x8xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 9 : i32}, %arg10: tensor<16x4xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 10 : i32}, %arg11: tensor<4x16x32xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 11 : i32}, %arg12: tensor<4x32x16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 12 : i32}, %arg13: tensor<32x16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 13 : i32}, %arg14: tensor<16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 14 : i32}, %arg15: tensor<16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 15 : i32}, %arg16: tensor<2x8x16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 16 : i32}, %arg17: tensor<3x16x2x8xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 17 : i32}, %arg18: tensor<16x32xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 18 : i32}, %arg19: tensor<32x16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 19 : i32}, %arg20: tensor<16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 20 : i32}, %arg21: tensor<16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 21 : i32}, %arg22: tensor<2x8x16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 22 : i32}, %arg23: tensor<3x16x2x8xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 23 : i32}, %arg24: tensor<16x4xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 24 : i32}, %arg25: tensor<4x16x32xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 25 : i32}, %arg26: tensor<4x32x16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 26 : i32}, %arg27: tensor<32x16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 27 : i32}, %arg28: tensor<16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 28 : i32}, %arg29: tensor<16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 29 : i32}, %arg30: tensor<2x8x16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 30 : i32}, %arg31: tensor<3x16x2x8xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 31 : i32}, %arg32: tensor<16x32xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 32 : i32}, %arg33: tensor<32x16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 33 : i32}, %arg34: tensor<16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 34 : i32}, %arg35: tensor<16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 35 : i32}, %arg36: tensor<2x8x16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 36 : i32}, %arg37: tensor<3x16x2x8xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 37 : i32}, %arg38: tensor<16x4xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 38 : i32}, %arg39: tensor<4x16x32xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 39 : i32}, %arg40: tensor<4x32x16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 40 : i32}, %arg41: tensor<32x16xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 41 : i32}, %arg42: tensor<2x8xi32> {mhlo.sharding = "{replicated}"}) -> (tensor<16xf32> {jax.result_info = "result[0]['0.ln1']"}, tensor<16xf32> {jax.result_info = "result[0]['0.ln2']"}, tensor<2x8x16xf32> {jax.result_info = "result[0]['0.o']"}, tensor<3x16x2x8xf32> {jax.result_info = "result[0]['0.qkv']"}, tensor<16x32xf32> {jax.result_info = "result[0]['0.wi']"}, tensor<32x16xf32> {jax.result_info = "result[0]['0.wo']"}, tensor<16xf32> {jax.result_info = "result[0]['1.ln1']"}, tensor<16xf32> {jax.result_info = "result[0]['1.ln2']"}, tensor<2x8x16xf32> {jax.result_info = "result[0]['1.o']"}, tensor<3x16x2x8xf32> {jax.result_info = "result[0]['1.qkv']"}, tensor<16x4xf32> {jax.result_info = "result[0]['1.wg']"}, tensor<4x16x32xf32> {jax.result_info = "result[0]['1.wi']"}, tensor<4x32x16xf32> {jax.result_info = "result[0]['1.wo']"}, tensor<32x16xf32> {jax.result_info = "result[0]['emb']"}, tensor<16xf32> {jax.result_info = "result[1]['0.ln1']"}, tensor<16xf32> {jax.result_info = "result[1]['0.ln2']"}, tensor<2x8x16xf32> {jax.result_info = "result[1]['0.o']"}, tensor<3x16x2x8xf32> {jax.result_info = "result[1]['0.qkv']"}, tensor<16x32xf32> {jax.result_info = "result[1]['0.wi']"}, tensor<32x16xf32> {jax.result_info = "result[1]['0.wo']"}, tensor<16xf32> {jax.result_info = "result[1]['1.ln1']"}, tensor<16xf32> {jax.result_info = "result[1]['1.ln2']"}, tensor<2x8x16xf32> {jax.result_info = "result[1]['1.o']"}, tensor<3x16x2x8xf32> {jax.result_info = "result[1]['1.qkv']"}, tensor<16x4xf32> {jax.result_info = "result[1]['1.wg']"}, tensor<4x16x32xf32> {jax.result_info = "result[1]['1.wi']"}, tensor<4x32x16xf32> {jax.result_info = "result[1]['1.wo']"}, tensor<32x16xf32> {jax.result_info = "result[1]['emb']"}, tensor<16xf32> {jax.result_info = "result[2]['0.ln1']"}, tensor<16xf32> {jax.result_info = "result[2]['0.ln2']"}, tensor<2x8x16xf32> {jax.result_info = "result[2]['0.o']"}, tensor<3x16x2x8xf32> {jax.result_info = "result[2]['0.qkv']"}, tensor<16x32xf32> {jax.result_info = "result[2]['0.wi']"}, tensor<32x16xf32> {jax.result_info = "result[2]['0.wo']"}, tensor<16xf32> {jax.result_info = "result[2]['1.ln1']"}, tensor<16xf32> {jax.result_info = "result[2]['1.ln2']"}, tensor<2x8x16xf32> {jax.result_info = "result[2]['1.o']"}, tensor<3x16x2x8xf32> {jax.result_info = "result[2]['1.qkv']"}, tensor<16x4xf32> {jax.result_info = "result[2]['1.wg']"}, tensor<4x16x32xf32> {jax.result_info = "result[2]['1.wi']"}, tensor<4x32x16xf32> {jax.result_info = "result[2]['1.wo']"}, tensor<32x16xf32> {jax.result_info = "result[2]['emb']"}, tensor<f32> {jax.result_info = "result[3]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x8xi32>
    %1 = stablehlo.compare LT, %arg42, %0, SIGNED : (tensor<2x8xi32>, tensor<2x8xi32>) -> tensor<2x8xi1>
    %c_0 = stablehlo.constant dense<32> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x8xi32>
    %3 = stablehlo.add %arg42, %2 : tensor<2x8xi32>
    %4 = stablehlo.select %1, %3, %arg42 : tensor<2x8xi1>, tensor<2x8xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<2x8xi32>) -> tensor<2x8x1xi32>
    %6 = "stablehlo.gather"(%arg13, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<32x16xf32>, tensor<2x8x1xi32>) -> tensor<2x8x16xf32>
    %7 = stablehlo.custom_call @Sharding(%6) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<8x8xi1>
    %9 = call @tril(%8) : (tensor<8x8xi1>) -> tensor<8x8xi1>
    %10 = stablehlo.multiply %7, %7 : tensor<2x8x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x8x16xf32>, tensor<f32>) -> tensor<2x8xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
    %cst_2 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
    %14 = stablehlo.divide %12, %13 : tensor<2x8x1xf32>
    %cst_3 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
    %16 = stablehlo.add %14, %15 : tensor<2x8x1xf32>
    %17 = stablehlo.rsqrt %16 : tensor<2x8x1xf32>
    %18 = stablehlo.divide %17, %16 : tensor<2x8x1xf32>
    %cst_4 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
    %20 = stablehlo.multiply %19, %18 : tensor<2x8x1xf32>
    %21 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
    %22 = stablehlo.multiply %7, %21 : tensor<2x8x16xf32>
    %23 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<2x8x16xf32>
    %25 = stablehlo.multiply %22, %24 : tensor<2x8x16xf32>
    %26 = stablehlo.dot_general %arg3, %25, contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x16x2x8xf32>, tensor<2x8x16xf32>) -> tensor<3x2x8x2x8xf32>
    %27 = stablehlo.transpose %26, dims = [0, 3, 4, 1, 2] : (tensor<3x2x8x2x8xf32>) -> tensor<3x2x8x2x8xf32>
    %28 = stablehlo.slice %27 [0:1, 0:2, 0:8, 0:2, 0:8] : (tensor<3x2x8x2x8xf32>) -> tensor<1x2x8x2x8xf32>
    %29 = stablehlo.reshape %28 : (tensor<1x2x8x2x8xf32>) -> tensor<2x8x2x8xf32>
    %30 = stablehlo.slice %27 [1:2, 0:2, 0:8, 0:2, 0:8] : (tensor<3x2x8x2x8xf32>) -> tensor<1x2x8x2x8xf32>
    %31 = stablehlo.reshape %30 : (tensor<1x2x8x2x8xf32>) -> tensor<2x8x2x8xf32>
    %32 = stablehlo.slice %27 [2:3, 0:2, 0:8, 0:2, 0:8] : (tensor<3x2x8x2x8xf32>) -> tensor<1x2x8x2x8xf32>
    %33 = stablehlo.reshape %32 : (tensor<1x2x8x2x8xf32>) -> tensor<2x8x2x8xf32>
    %34 = stablehlo.dot_general %29, %31, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x8x2x8xf32>, tensor<2x8x2x8xf32>) -> tensor<2x2x8x8xf32>
    %cst_5 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x2x8x8xf32>
    %36 = stablehlo.divide %34, %35 : tensor<2x2x8x8xf32>
    %cst_6 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %37:2 = call @_where(%9, %36, %cst_6) : (tensor<8x8xi1>, tensor<2x2x8x8xf32>, tensor<f32>) -> (tensor<2x2x8x8xf32>, tensor<2x2x8x8xi1>)
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %38 = stablehlo.reduce(%37#0 init: %cst_7) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x8x8xf32>, tensor<f32>) -> tensor<2x2x8xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x2x8xf32>
    %40 = stablehlo.maximum %39, %38 : tensor<2x2x8xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2] : (tensor<2x2x8xf32>) -> tensor<2x2x8x1xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2, 3] : (tensor<2x2x8x1xf32>) -> tensor<2x2x8x8xf32>
    %43 = stablehlo.subtract %37#0, %42 : tensor<2x2x8x8xf32>
    %44 = stablehlo.exponential %43 : tensor<2x2x8x8xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.reduce(%44 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<2x2x8x8xf32>, tensor<f32>) -> tensor<2x2x8xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2] : (tensor<2x2x8xf32>) -> tensor<2x2x8x1xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3] : (tensor<2x2x8x1xf32>) -> tensor<2x2x8x8xf32>
    %48 = stablehlo.divide %44, %47 : tensor<2x2x8x8xf32>
    %49 = stablehlo.multiply %46, %46 : tensor<2x2x8x1xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x2x8x1xf32>
    %51 = stablehlo.divide %50, %49 : tensor<2x2x8x1xf32>
    %52 = stablehlo.dot_general %33, %48, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x8x2x8xf32>, tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %53 = stablehlo.transpose %52, dims = [0, 3, 1, 2] : (tensor<2x2x8x8xf32>) -> tensor<2x8x2x8xf32>
    %54 = stablehlo.custom_call @Sharding(%53) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x8x2x8xf32>) -> tensor<2x8x2x8xf32>
    %55 = stablehlo.dot_general %54, %arg2, contracting_dims = [3, 2] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<2x8x2x8xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
    %56 = stablehlo.add %7, %55 : tensor<2x8x16xf32>
    %57 = stablehlo.custom_call @Sharding(%56) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
    %58 = stablehlo.multiply %57, %57 : tensor<2x8x16xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.reduce(%58 init: %cst_11) applies stablehlo.add across dimensions = [2] : (tensor<2x8x16xf32>, tensor<f32>) -> tensor<2x8xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
    %cst_12 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
    %62 = stablehlo.divide %60, %61 : tensor<2x8x1xf32>
    %cst_13 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
    %64 = stablehlo.add %62, %63 : tensor<2x8x1xf32>
    %65 = stablehlo.rsqrt %64 : tensor<2x8x1xf32>
    %66 = stablehlo.divide %65, %64 : tensor<2x8x1xf32>
    %cst_14 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
    %68 = stablehlo.multiply %67, %66 : tensor<2x8x1xf32>
    %69 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
    %70 = stablehlo.multiply %57, %69 : tensor<2x8x16xf32>
    %71 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %72 = stablehlo.broadcast_in_dim %71, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<2x8x16xf32>
    %73 = stablehlo.multiply %70, %72 : tensor<2x8x16xf32>
    %74 = stablehlo.dot_general %73, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x8x16xf32>, tensor<16x32xf32>) -> tensor<2x8x32xf32>
    %75 = call @relu(%74) : (tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x8x32xf32>
    %77 = stablehlo.compare GT, %74, %76, FLOAT : (tensor<2x8x32xf32>, tensor<2x8x32xf32>) -> tensor<2x8x32xi1>
    %78 = stablehlo.custom_call @Sharding(%75) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
    %79 = stablehlo.dot_general %78, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x8x32xf32>, tensor<32x16xf32>) -> tensor<2x8x16xf32>
    %80 = stablehlo.add %57, %79 : tensor<2x8x16xf32>
    %81 = stablehlo.custom_call @Sharding(%80) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
    %82 = stablehlo.multiply %81, %81 : tensor<2x8x16xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.reduce(%82 init: %cst_16) applies stablehlo.add across dimensions = [2] : (tensor<2x8x16xf32>, tensor<f32>) -> tensor<2x8xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
    %cst_17 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
    %86 = stablehlo.divide %84, %85 : tensor<2x8x1xf32>
    %cst_18 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
    %88 = stablehlo.add %86, %87 : tensor<2x8x1xf32>
    %89 = stablehlo.rsqrt %88 : tensor<2x8x1xf32>
    %90 = stablehlo.divide %89, %88 : tensor<2x8x1xf32>
    %cst_19 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
    %92 = stablehlo.multiply %91, %90 : tensor<2x8x1xf32>
    %93 = stablehlo.broadcast_in_dim %89, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
    %94 = stablehlo.multiply %81, %93 : tensor<2x8x16xf32>
    %95 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %96 = stablehlo.broadcast_in_dim %95, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<2x8x16xf32>
    %97 = stablehlo.multiply %94, %96 : tensor<2x8x16xf32>
    %98 = stablehlo.dot_general %arg9, %97, contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x16x2x8xf32>, tensor<2x8x16xf32>) -> tensor<3x2x8x2x8xf32>
    %99 = stablehlo.transpose %98, dims = [0, 3, 4, 1, 2] : (tensor<3x2x8x2x8xf32>) -> tensor<3x2x8x2x8xf32>
    %100 = stablehlo.slice %99 [0:1, 0:2, 0:8, 0:2, 0:8] : (tensor<3x2x8x2x8xf32>) -> tensor<1x2x8x2x8xf32>
    %101 = stablehlo.reshape %100 : (tensor<1x2x8x2x8xf32>) -> tensor<2x8x2x8xf32>
    %102 = stablehlo.slice %99 [1:2, 0:2, 0:8, 0:2, 0:8] : (tensor<3x2x8x2x8xf32>) -> tensor<1x2x8x2x8xf32>
    %103 = stablehlo.reshape %102 : (tensor<1x2x8x2x8xf32>) -> tensor<2x8x2x8xf32>
    %104 = stablehlo.slice %99 [2:3, 0:2, 0:8, 0:2, 0:8] : (tensor<3x2x8x2x8xf32>) -> tensor<1x2x8x2x8xf32>
    %105 = stablehlo.reshape %104 : (tensor<1x2x8x2x8xf32>) -> tensor<2x8x2x8xf32>
    %106 = stablehlo.dot_general %101, %103, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x8x2x8xf32>, tensor<2x8x2x8xf32>) -> tensor<2x2x8x8xf32>
    %cst_20 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<2x2x8x8xf32>
    %108 = stablehlo.divide %106, %107 : tensor<2x2x8x8xf32>
    %cst_21 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %109:2 = call @_where(%9, %108, %cst_21) : (tensor<8x8xi1>, tensor<2x2x8x8xf32>, tensor<f32>) -> (tensor<2x2x8x8xf32>, tensor<2x2x8x8xi1>)
    %cst_22 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %110 = stablehlo.reduce(%109#0 init: %cst_22) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x8x8xf32>, tensor<f32>) -> tensor<2x2x8xf32>
    %cst_23 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<2x2x8xf32>
    %112 = stablehlo.maximum %111, %110 : tensor<2x2x8xf32>
    %113 = stablehlo.broadcast_in_dim %112, dims = [0, 1, 2] : (tensor<2x2x8xf32>) -> tensor<2x2x8x1xf32>
    %114 = stablehlo.broadcast_in_dim %113, dims = [0, 1, 2, 3] : (tensor<2x2x8x1xf32>) -> tensor<2x2x8x8xf32>
    %115 = stablehlo.subtract %109#0, %114 : tensor<2x2x8x8xf32>
    %116 = stablehlo.exponential %115 : tensor<2x2x8x8xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %117 = stablehlo.reduce(%116 init: %cst_24) applies stablehlo.add across dimensions = [3] : (tensor<2x2x8x8xf32>, tensor<f32>) -> tensor<2x2x8xf32>
    %118 = stablehlo.broadcast_in_dim %117, dims = [0, 1, 2] : (tensor<2x2x8xf32>) -> tensor<2x2x8x1xf32>
    %119 = stablehlo.broadcast_in_dim %118, dims = [0, 1, 2, 3] : (tensor<2x2x8x1xf32>) -> tensor<2x2x8x8xf32>
    %120 = stablehlo.divide %116, %119 : tensor<2x2x8x8xf32>
    %121 = stablehlo.multiply %118, %118 : tensor<2x2x8x1xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<2x2x8x1xf32>
    %123 = stablehlo.divide %122, %121 : tensor<2x2x8x1xf32>
    %124 = stablehlo.dot_general %105, %120, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x8x2x8xf32>, tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %125 = stablehlo.transpose %124, dims = [0, 3, 1, 2] : (tensor<2x2x8x8xf32>) -> tensor<2x8x2x8xf32>
    %126 = stablehlo.custom_call @Sharding(%125) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x8x2x8xf32>) -> tensor<2x8x2x8xf32>
    %127 = stablehlo.dot_general %126, %arg8, contracting_dims = [3, 2] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<2x8x2x8xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
    %128 = stablehlo.add %81, %127 : tensor<2x8x16xf32>
    %129 = stablehlo.custom_call @Sharding(%128) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
    %130 = stablehlo.multiply %129, %129 : tensor<2x8x16xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %131 = stablehlo.reduce(%130 init: %cst_26) applies stablehlo.add across dimensions = [2] : (tensor<2x8x16xf32>, tensor<f32>) -> tensor<2x8xf32>
    %132 = stablehlo.broadcast_in_dim %131, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
    %cst_27 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
    %134 = stablehlo.divide %132, %133 : tensor<2x8x1xf32>
    %cst_28 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
    %136 = stablehlo.add %134, %135 : tensor<2x8x1xf32>
    %137 = stablehlo.rsqrt %136 : tensor<2x8x1xf32>
    %138 = stablehlo.divide %137, %136 : tensor<2x8x1xf32>
    %cst_29 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
    %140 = stablehlo.multiply %139, %138 : tensor<2x8x1xf32>
    %141 = stablehlo.broadcast_in_dim %137, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
    %142 = stablehlo.multiply %129, %141 : tensor<2x8x16xf32>
    %143 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %144 = stablehlo.broadcast_in_dim %143, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<2x8x16xf32>
    %145 = stablehlo.multiply %142, %144 : tensor<2x8x16xf32>
    %146 = stablehlo.dot_general %145, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x8x16xf32>, tensor<16x4xf32>) -> tensor<2x8x4xf32>
    %cst_30 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %147 = stablehlo.reduce(%146 init: %cst_30) applies stablehlo.maximum across dimensions = [2] : (tensor<2x8x4xf32>, tensor<f32>) -> tensor<2x8xf32>
    %cst_31 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %149 = stablehlo.maximum %148, %147 : tensor<2x8xf32>
    %150 = stablehlo.broadcast_in_dim %149, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
    %151 = stablehlo.broadcast_in_dim %150, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x4xf32>
    %152 = stablehlo.subtract %146, %151 : tensor<2x8x4xf32>
    %153 = stablehlo.exponential %152 : tensor<2x8x4xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %154 = stablehlo.reduce(%153 init: %cst_32) applies stablehlo.add across dimensions = [2] : (tensor<2x8x4xf32>, tensor<f32>) -> tensor<2x8xf32>
    %155 = stablehlo.broadcast_in_dim %154, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
    %156 = stablehlo.broadcast_in_dim %155, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x4xf32>
    %157 = stablehlo.divide %153, %156 : tensor<2x8x4xf32>
    %158 = stablehlo.multiply %155, %155 : tensor<2x8x1xf32>
    %cst_33 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %159 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
    %160 = stablehlo.divide %159, %158 : tensor<2x8x1xf32>
    %161 = call @argmax(%157) : (tensor<2x8x4xf32>) -> tensor<2x8xi32>
    %162 = call @_one_hot(%161) : (tensor<2x8xi32>) -> tensor<2x8x4xf32>
    %163 = stablehlo.multiply %157, %162 : tensor<2x8x4xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %164 = stablehlo.reduce(%163 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<2x8x4xf32>, tensor<f32>) -> tensor<2x8xf32>
    %cst_35 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %165 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<2x8x4xf32>
    %166 = stablehlo.subtract %165, %162 : tensor<2x8x4xf32>
    %167 = stablehlo.multiply %157, %166 : tensor<2x8x4xf32>
    %168 = call @argmax(%167) : (tensor<2x8x4xf32>) -> tensor<2x8xi32>
    %169 = call @_one_hot(%168) : (tensor<2x8xi32>) -> tensor<2x8x4xf32>
    %170 = stablehlo.multiply %157, %169 : tensor<2x8x4xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %171 = stablehlo.reduce(%170 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<2x8x4xf32>, tensor<f32>) -> tensor<2x8xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %172 = stablehlo.reduce(%162 init: %cst_37) applies stablehlo.add across dimensions = [1] : (tensor<2x8x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    %cst_38 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %173 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %174 = stablehlo.divide %172, %173 : tensor<2x4xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %175 = stablehlo.reduce(%157 init: %cst_39) applies stablehlo.add across dimensions = [1] : (tensor<2x8x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    %cst_40 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %176 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %177 = stablehlo.divide %175, %176 : tensor<2x4xf32>
    %178 = stablehlo.multiply %174, %177 : tensor<2x4xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %179 = stablehlo.reduce(%178 init: %cst_41) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_42 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %180 = stablehlo.divide %179, %cst_42 : tensor<f32>
    %cst_43 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %181 = stablehlo.multiply %180, %cst_43 : tensor<f32>
    %cst_44 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %182 = stablehlo.multiply %181, %cst_44 : tensor<f32>
    %183 = call @cumsum(%162) : (tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    %184 = stablehlo.subtract %183, %162 : tensor<2x8x4xf32>
    %185 = stablehlo.multiply %184, %162 : tensor<2x8x4xf32>
    %cst_45 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %186 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<2x8x4xf32>
    %187 = stablehlo.compare LT, %185, %186, FLOAT : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xi1>
    %188 = stablehlo.convert %187 : (tensor<2x8x4xi1>) -> tensor<2x8x4xf32>
    %189 = stablehlo.multiply %162, %188 : tensor<2x8x4xf32>
    %190 = call @cumsum(%169) : (tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    %191 = stablehlo.subtract %190, %169 : tensor<2x8x4xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %192 = stablehlo.reduce(%189 init: %cst_46) applies stablehlo.add across dimensions = [1] : (tensor<2x8x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    %193 = stablehlo.broadcast_in_dim %192, dims = [0, 2] : (tensor<2x4xf32>) -> tensor<2x1x4xf32>
    %194 = stablehlo.broadcast_in_dim %193, dims = [0, 1, 2] : (tensor<2x1x4xf32>) -> tensor<2x8x4xf32>
    %195 = stablehlo.add %191, %194 : tensor<2x8x4xf32>
    %196 = stablehlo.multiply %195, %169 : tensor<2x8x4xf32>
    %cst_47 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %197 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<2x8x4xf32>
    %198 = stablehlo.compare LT, %196, %197, FLOAT : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xi1>
    %199 = stablehlo.convert %198 : (tensor<2x8x4xi1>) -> tensor<2x8x4xf32>
    %200 = stablehlo.multiply %169, %199 : tensor<2x8x4xf32>
    %201 = stablehlo.add %164, %171 : tensor<2x8xf32>
    %cst_48 = stablehlo.constant dense<9.99999971E-10> : tensor<f32>
    %202 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %203 = stablehlo.add %201, %202 : tensor<2x8xf32>
    %204 = stablehlo.multiply %185, %189 : tensor<2x8x4xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %205 = stablehlo.reduce(%204 init: %cst_49) applies stablehlo.add across dimensions = [2] : (tensor<2x8x4xf32>, tensor<f32>) -> tensor<2x8xf32>
    %206 = stablehlo.convert %205 : (tensor<2x8xf32>) -> tensor<2x8xi32>
    %207 = call @_one_hot(%206) : (tensor<2x8xi32>) -> tensor<2x8x4xf32>
    %208 = stablehlo.divide %164, %203 : tensor<2x8xf32>
    %209 = stablehlo.multiply %203, %203 : tensor<2x8xf32>
    %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %210 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %211 = stablehlo.divide %210, %209 : tensor<2x8xf32>
    %212 = stablehlo.broadcast_in_dim %208, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x1x1xf32>
    %213 = stablehlo.broadcast_in_dim %189, dims = [0, 1, 2] : (tensor<2x8x4xf32>) -> tensor<2x8x4x1xf32>
    %214 = stablehlo.broadcast_in_dim %212, dims = [0, 1, 2, 3] : (tensor<2x8x1x1xf32>) -> tensor<2x8x4x1xf32>
    %215 = stablehlo.multiply %214, %213 : tensor<2x8x4x1xf32>
    %216 = stablehlo.broadcast_in_dim %207, dims = [0, 1, 3] : (tensor<2x8x4xf32>) -> tensor<2x8x1x4xf32>
    %217 = stablehlo.broadcast_in_dim %215, dims = [0, 1, 2, 3] : (tensor<2x8x4x1xf32>) -> tensor<2x8x4x4xf32>
    %218 = stablehlo.broadcast_in_dim %216, dims = [0, 1, 2, 3] : (tensor<2x8x1x4xf32>) -> tensor<2x8x4x4xf32>
    %219 = stablehlo.multiply %217, %218 : tensor<2x8x4x4xf32>
    %220 = stablehlo.multiply %196, %200 : tensor<2x8x4xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %221 = stablehlo.reduce(%220 init: %cst_51) applies stablehlo.add across dimensions = [2] : (tensor<2x8x4xf32>, tensor<f32>) -> tensor<2x8xf32>
    %222 = stablehlo.convert %221 : (tensor<2x8xf32>) -> tensor<2x8xi32>
    %223 = call @_one_hot(%222) : (tensor<2x8xi32>) -> tensor<2x8x4xf32>
    %224 = stablehlo.divide %171, %203 : tensor<2x8xf32>
    %225 = stablehlo.multiply %203, %203 : tensor<2x8xf32>
    %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %227 = stablehlo.divide %226, %225 : tensor<2x8xf32>
    %228 = stablehlo.broadcast_in_dim %224, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x1x1xf32>
    %229 = stablehlo.broadcast_in_dim %200, dims = [0, 1, 2] : (tensor<2x8x4xf32>) -> tensor<2x8x4x1xf32>
    %230 = stablehlo.broadcast_in_dim %228, dims = [0, 1, 2, 3] : (tensor<2x8x1x1xf32>) -> tensor<2x8x4x1xf32>
    %231 = stablehlo.multiply %230, %229 : tensor<2x8x4x1xf32>
    %232 = stablehlo.broadcast_in_dim %223, dims = [0, 1, 3] : (tensor<2x8x4xf32>) -> tensor<2x8x1x4xf32>
    %233 = stablehlo.broadcast_in_dim %231, dims = [0, 1, 2, 3] : (tensor<2x8x4x1xf32>) -> tensor<2x8x4x4xf32>
    %234 = stablehlo.broadcast_in_dim %232, dims = [0, 1, 2, 3] : (tensor<2x8x1x4xf32>) -> tensor<2x8x4x4xf32>
    %235 = stablehlo.multiply %233, %234 : tensor<2x8x4x4xf32>
    %236 = stablehlo.add %219, %235 : tensor<2x8x4x4xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %237 = stablehlo.add %cst_53, %182 : tensor<f32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %238 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<2x8x4x4xf32>
    %239 = stablehlo.compare GT, %236, %238, FLOAT : (tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xi1>
    %240 = stablehlo.convert %239 : (tensor<2x8x4x4xi1>) -> tensor<2x8x4x4xf32>
    %241 = stablehlo.dot_general %145, %240, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x16xf32>, tensor<2x8x4x4xf32>) -> tensor<2x16x4x4xf32>
    %242 = stablehlo.transpose %241, dims = [2, 0, 3, 1] : (tensor<2x16x4x4xf32>) -> tensor<4x2x4x16xf32>
    %243 = stablehlo.custom_call @Sharding(%242) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<4x2x4x16xf32>) -> tensor<4x2x4x16xf32>
    %244 = stablehlo.dot_general %243, %arg11, batching_dims = [0] x [0], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x4x16xf32>, tensor<4x16x32xf32>) -> tensor<4x2x4x32xf32>
    %245 = call @relu_1(%244) : (tensor<4x2x4x32xf32>) -> tensor<4x2x4x32xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %246 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<4x2x4x32xf32>
    %247 = stablehlo.compare GT, %244, %246, FLOAT : (tensor<4x2x4x32xf32>, tensor<4x2x4x32xf32>) -> tensor<4x2x4x32xi1>
    %248 = stablehlo.custom_call @Sharding(%245) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<4x2x4x32xf32>) -> tensor<4x2x4x32xf32>
    %249 = stablehlo.dot_general %arg12, %248, batching_dims = [0] x [0], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x32x16xf32>, tensor<4x2x4x32xf32>) -> tensor<4x16x2x4xf32>
    %250 = stablehlo.transpose %249, dims = [2, 0, 3, 1] : (tensor<4x16x2x4xf32>) -> tensor<2x4x4x16xf32>
    %251 = stablehlo.custom_call @Sharding(%250) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x4x4x16xf32>) -> tensor<2x4x4x16xf32>
    %252 = stablehlo.dot_general %236, %251, batching_dims = [0] x [0], contracting_dims = [3, 2] x [2, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x4x4xf32>, tensor<2x4x4x16xf32>) -> tensor<2x8x16xf32>
    %253 = stablehlo.add %129, %252 : tensor<2x8x16xf32>
    %254 = stablehlo.custom_call @Sharding(%253) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
    %255 = stablehlo.dot_general %254, %arg13, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x16xf32>, tensor<32x16xf32>) -> tensor<2x8x32xf32>
    %256 = call @_roll_static(%arg42) : (tensor<2x8xi32>) -> tensor<2x8xi32>
    %257:3 = call @log_softmax(%255) : (tensor<2x8x32xf32>) -> (tensor<2x8x32xf32>, tensor<2x8x32xf32>, tensor<2x8x1xf32>)
    %258 = stablehlo.broadcast_in_dim %256, dims = [0, 1] : (tensor<2x8xi32>) -> tensor<2x8x1xi32>
    %259:2 = call @take_along_axis(%257#0, %258) : (tensor<2x8x32xf32>, tensor<2x8x1xi32>) -> (tensor<2x8x1xf32>, tensor<2x8x1x1xi32>)
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %260 = stablehlo.reduce(%259#0 init: %cst_56) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_57 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %261 = stablehlo.divide %260, %cst_57 : tensor<f32>
    %262 = stablehlo.negate %261 : tensor<f32>
    %cst_58 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %263 = stablehlo.multiply %cst_58, %237 : tensor<f32>
    %264 = stablehlo.add %262, %263 : tensor<f32>
    %cst_59 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_60 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %265 = stablehlo.multiply %cst_60, %cst_59 : tensor<f32>
    %266 = stablehlo.negate %cst_59 : tensor<f32>
    %cst_61 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %267 = stablehlo.divide %266, %cst_61 : tensor<f32>
    %268 = stablehlo.broadcast_in_dim %267, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
    %269 = call @take_along_axis_2(%259#1, %268) : (tensor<2x8x1x1xi32>, tensor<2x8x1xf32>) -> tensor<2x8x32xf32>
    %270 = call @log_softmax_3(%257#1, %257#2, %269) : (tensor<2x8x32xf32>, tensor<2x8x1xf32>, tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
    %271 = stablehlo.dot_general %270, %254, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x32xf32>, tensor<2x8x16xf32>) -> tensor<32x16xf32>
    %272 = stablehlo.dot_general %270, %arg13, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x8x32xf32>, tensor<32x16xf32>) -> tensor<2x8x16xf32>
    %273 = stablehlo.custom_call @Sharding(%272) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
    %274 = stablehlo.dot_general %273, %236, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x16xf32>, tensor<2x8x4x4xf32>) -> tensor<2x16x4x4xf32>
    %275 = stablehlo.transpose %274, dims = [0, 2, 3, 1] : (tensor<2x16x4x4xf32>) -> tensor<2x4x4x16xf32>
    %276 = stablehlo.dot_general %273, %251, batching_dims = [0] x [0], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x8x16xf32>, tensor<2x4x4x16xf32>) -> tensor<2x8x4x4xf32>
    %277 = stablehlo.custom_call @Sharding(%275) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x4x4x16xf32>) -> tensor<2x4x4x16xf32>
    %278 = stablehlo.transpose %277, dims = [1, 3, 0, 2] : (tensor<2x4x4x16xf32>) -> tensor<4x16x2x4xf32>
    %279 = stablehlo.dot_general %278, %arg12, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x4xf32>, tensor<4x32x16xf32>) -> tensor<4x2x4x32xf32>
    %280 = stablehlo.dot_general %278, %248, batching_dims = [0] x [0], contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x4xf32>, tensor<4x2x4x32xf32>) -> tensor<4x16x32xf32>
    %281 = stablehlo.transpose %280, dims = [0, 2, 1] : (tensor<4x16x32xf32>) -> tensor<4x32x16xf32>
    %282 = stablehlo.custom_call @Sharding(%279) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<4x2x4x32xf32>) -> tensor<4x2x4x32xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %283 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<4x2x4x32xf32>
    %284 = stablehlo.select %247, %282, %283 : tensor<4x2x4x32xi1>, tensor<4x2x4x32xf32>
    %285 = stablehlo.dot_general %284, %243, batching_dims = [0] x [0], contracting_dims = [1, 2] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x4x32xf32>, tensor<4x2x4x16xf32>) -> tensor<4x32x16xf32>
    %286 = stablehlo.transpose %285, dims = [0, 2, 1] : (tensor<4x32x16xf32>) -> tensor<4x16x32xf32>
    %287 = stablehlo.dot_general %284, %arg11, batching_dims = [0] x [0], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x4x32xf32>, tensor<4x16x32xf32>) -> tensor<4x2x4x16xf32>
    %288 = stablehlo.custom_call @Sharding(%287) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<4x2x4x16xf32>) -> tensor<4x2x4x16xf32>
    %289 = stablehlo.transpose %288, dims = [1, 3, 0, 2] : (tensor<4x2x4x16xf32>) -> tensor<2x16x4x4xf32>
    %290 = stablehlo.dot_general %289, %240, batching_dims = [0] x [0], contracting_dims = [2, 3] x [2, 3], precision = [DEFAULT, DEFAULT] : (tensor<2x16x4x4xf32>, tensor<2x8x4x4xf32>) -> tensor<2x16x8xf32>
    %291 = stablehlo.transpose %290, dims = [0, 2, 1] : (tensor<2x16x8xf32>) -> tensor<2x8x16xf32>
    %292 = stablehlo.broadcast_in_dim %232, dims = [0, 1, 2, 3] : (tensor<2x8x1x4xf32>) -> tensor<2x8x4x4xf32>
    %293 = stablehlo.multiply %276, %292 : tensor<2x8x4x4xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %294 = stablehlo.reduce(%293 init: %cst_63) applies stablehlo.add across dimensions = [3] : (tensor<2x8x4x4xf32>, tensor<f32>) -> tensor<2x8x4xf32>
    %295 = stablehlo.reshape %294 : (tensor<2x8x4xf32>) -> tensor<2x8x4x1xf32>
    %296 = stablehlo.multiply %295, %229 : tensor<2x8x4x1xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %297 = stablehlo.reduce(%296 init: %cst_64) applies stablehlo.add across dimensions = [2] : (tensor<2x8x4x1xf32>, tensor<f32>) -> tensor<2x8x1xf32>
    %298 = stablehlo.reshape %297 : (tensor<2x8x1xf32>) -> tensor<2x8x1x1xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %299 = stablehlo.reduce(%298 init: %cst_65) applies stablehlo.add across dimensions = [2, 3] : (tensor<2x8x1x1xf32>, tensor<f32>) -> tensor<2x8xf32>
    %300 = stablehlo.multiply %299, %227 : tensor<2x8xf32>
    %301 = stablehlo.multiply %300, %171 : tensor<2x8xf32>
    %302 = stablehlo.negate %301 : tensor<2x8xf32>
    %303 = stablehlo.divide %299, %203 : tensor<2x8xf32>
    %304 = stablehlo.broadcast_in_dim %216, dims = [0, 1, 2, 3] : (tensor<2x8x1x4xf32>) -> tensor<2x8x4x4xf32>
    %305 = stablehlo.multiply %276, %304 : tensor<2x8x4x4xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %306 = stablehlo.reduce(%305 init: %cst_66) applies stablehlo.add across dimensions = [3] : (tensor<2x8x4x4xf32>, tensor<f32>) -> tensor<2x8x4xf32>
    %307 = stablehlo.reshape %306 : (tensor<2x8x4xf32>) -> tensor<2x8x4x1xf32>
    %308 = stablehlo.multiply %307, %213 : tensor<2x8x4x1xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %309 = stablehlo.reduce(%308 init: %cst_67) applies stablehlo.add across dimensions = [2] : (tensor<2x8x4x1xf32>, tensor<f32>) -> tensor<2x8x1xf32>
    %310 = stablehlo.reshape %309 : (tensor<2x8x1xf32>) -> tensor<2x8x1x1xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %311 = stablehlo.reduce(%310 init: %cst_68) applies stablehlo.add across dimensions = [2, 3] : (tensor<2x8x1x1xf32>, tensor<f32>) -> tensor<2x8xf32>
    %312 = stablehlo.multiply %311, %211 : tensor<2x8xf32>
    %313 = stablehlo.multiply %312, %164 : tensor<2x8xf32>
    %314 = stablehlo.negate %313 : tensor<2x8xf32>
    %315 = stablehlo.add %302, %314 : tensor<2x8xf32>
    %316 = stablehlo.divide %311, %203 : tensor<2x8xf32>
    %317 = stablehlo.add %316, %315 : tensor<2x8xf32>
    %318 = stablehlo.add %303, %315 : tensor<2x8xf32>
    %cst_69 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %319 = stablehlo.multiply %265, %cst_69 : tensor<f32>
    %cst_70 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %320 = stablehlo.multiply %319, %cst_70 : tensor<f32>
    %cst_71 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %321 = stablehlo.divide %320, %cst_71 : tensor<f32>
    %322 = stablehlo.broadcast_in_dim %321, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %323 = stablehlo.multiply %174, %322 : tensor<2x4xf32>
    %cst_72 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %324 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %325 = stablehlo.divide %323, %324 : tensor<2x4xf32>
    %326 = stablehlo.broadcast_in_dim %325, dims = [0, 2] : (tensor<2x4xf32>) -> tensor<2x8x4xf32>
    %327 = stablehlo.broadcast_in_dim %318, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x4xf32>
    %328 = stablehlo.multiply %327, %169 : tensor<2x8x4xf32>
    %329 = stablehlo.add %326, %328 : tensor<2x8x4xf32>
    %330 = stablehlo.broadcast_in_dim %317, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x4xf32>
    %331 = stablehlo.multiply %330, %162 : tensor<2x8x4xf32>
    %332 = stablehlo.add %329, %331 : tensor<2x8x4xf32>
    %333 = stablehlo.broadcast_in_dim %160, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x4xf32>
    %334 = stablehlo.multiply %332, %333 : tensor<2x8x4xf32>
    %335 = stablehlo.multiply %334, %153 : tensor<2x8x4xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %336 = stablehlo.reduce(%335 init: %cst_73) applies stablehlo.add across dimensions = [2] : (tensor<2x8x4xf32>, tensor<f32>) -> tensor<2x8xf32>
    %337 = stablehlo.reshape %336 : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
    %338 = stablehlo.negate %337 : tensor<2x8x1xf32>
    %339 = stablehlo.broadcast_in_dim %155, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x4xf32>
    %340 = stablehlo.divide %332, %339 : tensor<2x8x4xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %341 = stablehlo.reduce(%338 init: %cst_74) applies stablehlo.add across dimensions = [2] : (tensor<2x8x1xf32>, tensor<f32>) -> tensor<2x8xf32>
    %342 = stablehlo.broadcast_in_dim %341, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x4xf32>
    %343 = stablehlo.add %340, %342 : tensor<2x8x4xf32>
    %344 = stablehlo.multiply %343, %153 : tensor<2x8x4xf32>
    %345 = stablehlo.dot_general %344, %145, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x4xf32>, tensor<2x8x16xf32>) -> tensor<4x16xf32>
    %346 = stablehlo.transpose %345, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
    %347 = stablehlo.dot_general %344, %arg10, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x4xf32>, tensor<16x4xf32>) -> tensor<2x8x16xf32>
    %348 = stablehlo.add %291, %347 : tensor<2x8x16xf32>
    %349 = stablehlo.multiply %142, %348 : tensor<2x8x16xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %350 = stablehlo.reduce(%349 init: %cst_75) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %351 = stablehlo.reshape %350 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %352 = stablehlo.broadcast_in_dim %143, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<2x8x16xf32>
    %353 = stablehlo.multiply %348, %352 : tensor<2x8x16xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %354 = stablehlo.reduce(%351 init: %cst_76) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %355 = stablehlo.multiply %129, %353 : tensor<2x8x16xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %356 = stablehlo.reduce(%355 init: %cst_77) applies stablehlo.add across dimensions = [2] : (tensor<2x8x16xf32>, tensor<f32>) -> tensor<2x8xf32>
    %357 = stablehlo.reshape %356 : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
    %358 = stablehlo.broadcast_in_dim %137, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
    %359 = stablehlo.multiply %353, %358 : tensor<2x8x16xf32>
    %360 = stablehlo.add %273, %359 : tensor<2x8x16xf32>
    %361 = stablehlo.multiply %357, %140 : tensor<2x8x1xf32>
    %cst_78 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %362 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
    %363 = stablehlo.divide %361, %362 : tensor<2x8x1xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %364 = stablehlo.reduce(%363 init: %cst_79) applies stablehlo.add across dimensions = [2] : (tensor<2x8x1xf32>, tensor<f32>) -> tensor<2x8xf32>
    %365 = stablehlo.broadcast_in_dim %364, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x16xf32>
    %366 = stablehlo.multiply %129, %365 : tensor<2x8x16xf32>
    %367 = stablehlo.add %360, %366 : tensor<2x8x16xf32>
    %368 = stablehlo.multiply %365, %129 : tensor<2x8x16xf32>
    %369 = stablehlo.add %367, %368 : tensor<2x8x16xf32>
    %370 = stablehlo.custom_call @Sharding(%369) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
    %371 = stablehlo.dot_general %370, %126, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x16xf32>, tensor<2x8x2x8xf32>) -> tensor<16x2x8xf32>
    %372 = stablehlo.transpose %371, dims = [1, 2, 0] : (tensor<16x2x8xf32>) -> tensor<2x8x16xf32>
    %373 = stablehlo.dot_general %370, %arg8, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x2x8xf32>
    %374 = stablehlo.custom_call @Sharding(%373) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x8x2x8xf32>) -> tensor<2x8x2x8xf32>
    %375 = stablehlo.transpose %374, dims = [0, 2, 3, 1] : (tensor<2x8x2x8xf32>) -> tensor<2x2x8x8xf32>
    %376 = stablehlo.dot_general %375, %105, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x8x8xf32>, tensor<2x8x2x8xf32>) -> tensor<2x2x8x8xf32>
    %377 = stablehlo.dot_general %375, %120, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x8x8xf32>, tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %378 = stablehlo.transpose %377, dims = [0, 3, 1, 2] : (tensor<2x2x8x8xf32>) -> tensor<2x8x2x8xf32>
    %379 = stablehlo.broadcast_in_dim %123, dims = [0, 1, 2, 3] : (tensor<2x2x8x1xf32>) -> tensor<2x2x8x8xf32>
    %380 = stablehlo.multiply %376, %379 : tensor<2x2x8x8xf32>
    %381 = stablehlo.multiply %380, %116 : tensor<2x2x8x8xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %382 = stablehlo.reduce(%381 init: %cst_80) applies stablehlo.add across dimensions = [3] : (tensor<2x2x8x8xf32>, tensor<f32>) -> tensor<2x2x8xf32>
    %383 = stablehlo.reshape %382 : (tensor<2x2x8xf32>) -> tensor<2x2x8x1xf32>
    %384 = stablehlo.negate %383 : tensor<2x2x8x1xf32>
    %385 = stablehlo.broadcast_in_dim %118, dims = [0, 1, 2, 3] : (tensor<2x2x8x1xf32>) -> tensor<2x2x8x8xf32>
    %386 = stablehlo.divide %376, %385 : tensor<2x2x8x8xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %387 = stablehlo.reduce(%384 init: %cst_81) applies stablehlo.add across dimensions = [3] : (tensor<2x2x8x1xf32>, tensor<f32>) -> tensor<2x2x8xf32>
    %388 = stablehlo.broadcast_in_dim %387, dims = [0, 1, 2] : (tensor<2x2x8xf32>) -> tensor<2x2x8x8xf32>
    %389 = stablehlo.add %386, %388 : tensor<2x2x8x8xf32>
    %390 = stablehlo.multiply %389, %116 : tensor<2x2x8x8xf32>
    %391 = call @_where_4(%109#1, %390) : (tensor<2x2x8x8xi1>, tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %cst_82 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %392 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<2x2x8x8xf32>
    %393 = stablehlo.divide %391, %392 : tensor<2x2x8x8xf32>
    %394 = stablehlo.dot_general %393, %101, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x8x8xf32>, tensor<2x8x2x8xf32>) -> tensor<2x2x8x8xf32>
    %395 = stablehlo.transpose %394, dims = [0, 2, 1, 3] : (tensor<2x2x8x8xf32>) -> tensor<2x8x2x8xf32>
    %396 = stablehlo.dot_general %393, %103, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x8x8xf32>, tensor<2x8x2x8xf32>) -> tensor<2x2x8x8xf32>
    %397 = stablehlo.transpose %396, dims = [0, 2, 1, 3] : (tensor<2x2x8x8xf32>) -> tensor<2x8x2x8xf32>
    %398 = stablehlo.broadcast_in_dim %378, dims = [1, 2, 3, 4] : (tensor<2x8x2x8xf32>) -> tensor<1x2x8x2x8xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %399 = stablehlo.pad %398, %cst_83, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x8x2x8xf32>, tensor<f32>) -> tensor<3x2x8x2x8xf32>
    %400 = stablehlo.broadcast_in_dim %395, dims = [1, 2, 3, 4] : (tensor<2x8x2x8xf32>) -> tensor<1x2x8x2x8xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %401 = stablehlo.pad %400, %cst_84, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x8x2x8xf32>, tensor<f32>) -> tensor<3x2x8x2x8xf32>
    %402 = stablehlo.add %399, %401 : tensor<3x2x8x2x8xf32>
    %403 = stablehlo.broadcast_in_dim %397, dims = [1, 2, 3, 4] : (tensor<2x8x2x8xf32>) -> tensor<1x2x8x2x8xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %404 = stablehlo.pad %403, %cst_85, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x8x2x8xf32>, tensor<f32>) -> tensor<3x2x8x2x8xf32>
    %405 = stablehlo.add %402, %404 : tensor<3x2x8x2x8xf32>
    %406 = stablehlo.transpose %405, dims = [0, 3, 4, 1, 2] : (tensor<3x2x8x2x8xf32>) -> tensor<3x2x8x2x8xf32>
    %407 = stablehlo.dot_general %406, %arg9, contracting_dims = [0, 1, 2] x [0, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x2x8xf32>, tensor<3x16x2x8xf32>) -> tensor<2x8x16xf32>
    %408 = stablehlo.dot_general %406, %97, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x2x8xf32>, tensor<2x8x16xf32>) -> tensor<3x2x8x16xf32>
    %409 = stablehlo.transpose %408, dims = [0, 3, 1, 2] : (tensor<3x2x8x16xf32>) -> tensor<3x16x2x8xf32>
    %410 = stablehlo.multiply %94, %407 : tensor<2x8x16xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %411 = stablehlo.reduce(%410 init: %cst_86) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %412 = stablehlo.reshape %411 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %413 = stablehlo.broadcast_in_dim %95, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<2x8x16xf32>
    %414 = stablehlo.multiply %407, %413 : tensor<2x8x16xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %415 = stablehlo.reduce(%412 init: %cst_87) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %416 = stablehlo.multiply %81, %414 : tensor<2x8x16xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %417 = stablehlo.reduce(%416 init: %cst_88) applies stablehlo.add across dimensions = [2] : (tensor<2x8x16xf32>, tensor<f32>) -> tensor<2x8xf32>
    %418 = stablehlo.reshape %417 : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
    %419 = stablehlo.broadcast_in_dim %89, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
    %420 = stablehlo.multiply %414, %419 : tensor<2x8x16xf32>
    %421 = stablehlo.add %370, %420 : tensor<2x8x16xf32>
    %422 = stablehlo.multiply %418, %92 : tensor<2x8x1xf32>
    %cst_89 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %423 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
    %424 = stablehlo.divide %422, %423 : tensor<2x8x1xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %425 = stablehlo.reduce(%424 init: %cst_90) applies stablehlo.add across dimensions = [2] : (tensor<2x8x1xf32>, tensor<f32>) -> tensor<2x8xf32>
    %426 = stablehlo.broadcast_in_dim %425, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x16xf32>
    %427 = stablehlo.multiply %81, %426 : tensor<2x8x16xf32>
    %428 = stablehlo.add %421, %427 : tensor<2x8x16xf32>
    %429 = stablehlo.multiply %426, %81 : tensor<2x8x16xf32>
    %430 = stablehlo.add %428, %429 : tensor<2x8x16xf32>
    %431 = stablehlo.custom_call @Sharding(%430) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
    %432 = stablehlo.dot_general %431, %78, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x16xf32>, tensor<2x8x32xf32>) -> tensor<16x32xf32>
    %433 = stablehlo.transpose %432, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
    %434 = stablehlo.dot_general %431, %arg5, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x16xf32>, tensor<32x16xf32>) -> tensor<2x8x32xf32>
    %435 = stablehlo.custom_call @Sharding(%434) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %436 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<2x8x32xf32>
    %437 = stablehlo.select %77, %435, %436 : tensor<2x8x32xi1>, tensor<2x8x32xf32>
    %438 = stablehlo.dot_general %437, %73, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x32xf32>, tensor<2x8x16xf32>) -> tensor<32x16xf32>
    %439 = stablehlo.transpose %438, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
    %440 = stablehlo.dot_general %437, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x32xf32>, tensor<16x32xf32>) -> tensor<2x8x16xf32>
    %441 = stablehlo.multiply %70, %440 : tensor<2x8x16xf32>
    %cst_92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %442 = stablehlo.reduce(%441 init: %cst_92) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %443 = stablehlo.reshape %442 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %444 = stablehlo.broadcast_in_dim %71, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<2x8x16xf32>
    %445 = stablehlo.multiply %440, %444 : tensor<2x8x16xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %446 = stablehlo.reduce(%443 init: %cst_93) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %447 = stablehlo.multiply %57, %445 : tensor<2x8x16xf32>
    %cst_94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %448 = stablehlo.reduce(%447 init: %cst_94) applies stablehlo.add across dimensions = [2] : (tensor<2x8x16xf32>, tensor<f32>) -> tensor<2x8xf32>
    %449 = stablehlo.reshape %448 : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
    %450 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
    %451 = stablehlo.multiply %445, %450 : tensor<2x8x16xf32>
    %452 = stablehlo.add %431, %451 : tensor<2x8x16xf32>
    %453 = stablehlo.multiply %449, %68 : tensor<2x8x1xf32>
    %cst_95 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %454 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
    %455 = stablehlo.divide %453, %454 : tensor<2x8x1xf32>
    %cst_96 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %456 = stablehlo.reduce(%455 init: %cst_96) applies stablehlo.add across dimensions = [2] : (tensor<2x8x1xf32>, tensor<f32>) -> tensor<2x8xf32>
    %457 = stablehlo.broadcast_in_dim %456, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x16xf32>
    %458 = stablehlo.multiply %57, %457 : tensor<2x8x16xf32>
    %459 = stablehlo.add %452, %458 : tensor<2x8x16xf32>
    %460 = stablehlo.multiply %457, %57 : tensor<2x8x16xf32>
    %461 = stablehlo.add %459, %460 : tensor<2x8x16xf32>
    %462 = stablehlo.custom_call @Sharding(%461) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
    %463 = stablehlo.dot_general %462, %54, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x16xf32>, tensor<2x8x2x8xf32>) -> tensor<16x2x8xf32>
    %464 = stablehlo.transpose %463, dims = [1, 2, 0] : (tensor<16x2x8xf32>) -> tensor<2x8x16xf32>
    %465 = stablehlo.dot_general %462, %arg2, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x2x8xf32>
    %466 = stablehlo.custom_call @Sharding(%465) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x8x2x8xf32>) -> tensor<2x8x2x8xf32>
    %467 = stablehlo.transpose %466, dims = [0, 2, 3, 1] : (tensor<2x8x2x8xf32>) -> tensor<2x2x8x8xf32>
    %468 = stablehlo.dot_general %467, %33, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x8x8xf32>, tensor<2x8x2x8xf32>) -> tensor<2x2x8x8xf32>
    %469 = stablehlo.dot_general %467, %48, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x8x8xf32>, tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %470 = stablehlo.transpose %469, dims = [0, 3, 1, 2] : (tensor<2x2x8x8xf32>) -> tensor<2x8x2x8xf32>
    %471 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2, 3] : (tensor<2x2x8x1xf32>) -> tensor<2x2x8x8xf32>
    %472 = stablehlo.multiply %468, %471 : tensor<2x2x8x8xf32>
    %473 = stablehlo.multiply %472, %44 : tensor<2x2x8x8xf32>
    %cst_97 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %474 = stablehlo.reduce(%473 init: %cst_97) applies stablehlo.add across dimensions = [3] : (tensor<2x2x8x8xf32>, tensor<f32>) -> tensor<2x2x8xf32>
    %475 = stablehlo.reshape %474 : (tensor<2x2x8xf32>) -> tensor<2x2x8x1xf32>
    %476 = stablehlo.negate %475 : tensor<2x2x8x1xf32>
    %477 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3] : (tensor<2x2x8x1xf32>) -> tensor<2x2x8x8xf32>
    %478 = stablehlo.divide %468, %477 : tensor<2x2x8x8xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %479 = stablehlo.reduce(%476 init: %cst_98) applies stablehlo.add across dimensions = [3] : (tensor<2x2x8x1xf32>, tensor<f32>) -> tensor<2x2x8xf32>
    %480 = stablehlo.broadcast_in_dim %479, dims = [0, 1, 2] : (tensor<2x2x8xf32>) -> tensor<2x2x8x8xf32>
    %481 = stablehlo.add %478, %480 : tensor<2x2x8x8xf32>
    %482 = stablehlo.multiply %481, %44 : tensor<2x2x8x8xf32>
    %483 = call @_where_4(%37#1, %482) : (tensor<2x2x8x8xi1>, tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %cst_99 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %484 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<2x2x8x8xf32>
    %485 = stablehlo.divide %483, %484 : tensor<2x2x8x8xf32>
    %486 = stablehlo.dot_general %485, %29, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x8x8xf32>, tensor<2x8x2x8xf32>) -> tensor<2x2x8x8xf32>
    %487 = stablehlo.transpose %486, dims = [0, 2, 1, 3] : (tensor<2x2x8x8xf32>) -> tensor<2x8x2x8xf32>
    %488 = stablehlo.dot_general %485, %31, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x8x8xf32>, tensor<2x8x2x8xf32>) -> tensor<2x2x8x8xf32>
    %489 = stablehlo.transpose %488, dims = [0, 2, 1, 3] : (tensor<2x2x8x8xf32>) -> tensor<2x8x2x8xf32>
    %490 = stablehlo.broadcast_in_dim %470, dims = [1, 2, 3, 4] : (tensor<2x8x2x8xf32>) -> tensor<1x2x8x2x8xf32>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %491 = stablehlo.pad %490, %cst_100, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x8x2x8xf32>, tensor<f32>) -> tensor<3x2x8x2x8xf32>
    %492 = stablehlo.broadcast_in_dim %487, dims = [1, 2, 3, 4] : (tensor<2x8x2x8xf32>) -> tensor<1x2x8x2x8xf32>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %493 = stablehlo.pad %492, %cst_101, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x8x2x8xf32>, tensor<f32>) -> tensor<3x2x8x2x8xf32>
    %494 = stablehlo.add %491, %493 : tensor<3x2x8x2x8xf32>
    %495 = stablehlo.broadcast_in_dim %489, dims = [1, 2, 3, 4] : (tensor<2x8x2x8xf32>) -> tensor<1x2x8x2x8xf32>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %496 = stablehlo.pad %495, %cst_102, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x8x2x8xf32>, tensor<f32>) -> tensor<3x2x8x2x8xf32>
    %497 = stablehlo.add %494, %496 : tensor<3x2x8x2x8xf32>
    %498 = stablehlo.transpose %497, dims = [0, 3, 4, 1, 2] : (tensor<3x2x8x2x8xf32>) -> tensor<3x2x8x2x8xf32>
    %499 = stablehlo.dot_general %498, %arg3, contracting_dims = [0, 1, 2] x [0, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x2x8xf32>, tensor<3x16x2x8xf32>) -> tensor<2x8x16xf32>
    %500 = stablehlo.dot_general %498, %25, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x2x8xf32>, tensor<2x8x16xf32>) -> tensor<3x2x8x16xf32>
    %501 = stablehlo.transpose %500, dims = [0, 3, 1, 2] : (tensor<3x2x8x16xf32>) -> tensor<3x16x2x8xf32>
    %502 = stablehlo.multiply %22, %499 : tensor<2x8x16xf32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %503 = stablehlo.reduce(%502 init: %cst_103) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %504 = stablehlo.reshape %503 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %505 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<2x8x16xf32>
    %506 = stablehlo.multiply %499, %505 : tensor<2x8x16xf32>
    %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %507 = stablehlo.reduce(%504 init: %cst_104) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %508 = stablehlo.multiply %7, %506 : tensor<2x8x16xf32>
    %cst_105 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %509 = stablehlo.reduce(%508 init: %cst_105) applies stablehlo.add across dimensions = [2] : (tensor<2x8x16xf32>, tensor<f32>) -> tensor<2x8xf32>
    %510 = stablehlo.reshape %509 : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
    %511 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
    %512 = stablehlo.multiply %506, %511 : tensor<2x8x16xf32>
    %513 = stablehlo.add %462, %512 : tensor<2x8x16xf32>
    %514 = stablehlo.multiply %510, %20 : tensor<2x8x1xf32>
    %cst_106 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %515 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
    %516 = stablehlo.divide %514, %515 : tensor<2x8x1xf32>
    %cst_107 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %517 = stablehlo.reduce(%516 init: %cst_107) applies stablehlo.add across dimensions = [2] : (tensor<2x8x1xf32>, tensor<f32>) -> tensor<2x8xf32>
    %518 = stablehlo.broadcast_in_dim %517, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x16xf32>
    %519 = stablehlo.multiply %7, %518 : tensor<2x8x16xf32>
    %520 = stablehlo.add %513, %519 : tensor<2x8x16xf32>
    %521 = stablehlo.multiply %518, %7 : tensor<2x8x16xf32>
    %522 = stablehlo.add %520, %521 : tensor<2x8x16xf32>
    %523 = stablehlo.custom_call @Sharding(%522) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
    %cst_108 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %524 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %525 = "stablehlo.scatter"(%524, %5, %523) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg43: tensor<f32>, %arg44: tensor<f32>):
      %779 = stablehlo.add %arg43, %arg44 : tensor<f32>
      stablehlo.return %779 : tensor<f32>
    }) : (tensor<32x16xf32>, tensor<2x8x1xi32>, tensor<2x8x16xf32>) -> tensor<32x16xf32>
    %526 = stablehlo.add %271, %525 : tensor<32x16xf32>
    %cst_109 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %527 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %528 = stablehlo.multiply %527, %arg14 : tensor<16xf32>
    %cst_110 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %529 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %530 = stablehlo.multiply %529, %507 : tensor<16xf32>
    %531 = stablehlo.add %528, %530 : tensor<16xf32>
    %cst_111 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %532 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %533 = stablehlo.multiply %532, %arg15 : tensor<16xf32>
    %cst_112 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %534 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %535 = stablehlo.multiply %534, %446 : tensor<16xf32>
    %536 = stablehlo.add %533, %535 : tensor<16xf32>
    %cst_113 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %537 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %538 = stablehlo.multiply %537, %arg16 : tensor<2x8x16xf32>
    %cst_114 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %539 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %540 = stablehlo.multiply %539, %464 : tensor<2x8x16xf32>
    %541 = stablehlo.add %538, %540 : tensor<2x8x16xf32>
    %cst_115 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %542 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<3x16x2x8xf32>
    %543 = stablehlo.multiply %542, %arg17 : tensor<3x16x2x8xf32>
    %cst_116 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %544 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<3x16x2x8xf32>
    %545 = stablehlo.multiply %544, %501 : tensor<3x16x2x8xf32>
    %546 = stablehlo.add %543, %545 : tensor<3x16x2x8xf32>
    %cst_117 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %547 = stablehlo.broadcast_in_dim %cst_117, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %548 = stablehlo.multiply %547, %arg18 : tensor<16x32xf32>
    %cst_118 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %549 = stablehlo.broadcast_in_dim %cst_118, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %550 = stablehlo.multiply %549, %439 : tensor<16x32xf32>
    %551 = stablehlo.add %548, %550 : tensor<16x32xf32>
    %cst_119 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %552 = stablehlo.broadcast_in_dim %cst_119, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %553 = stablehlo.multiply %552, %arg19 : tensor<32x16xf32>
    %cst_120 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %554 = stablehlo.broadcast_in_dim %cst_120, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %555 = stablehlo.multiply %554, %433 : tensor<32x16xf32>
    %556 = stablehlo.add %553, %555 : tensor<32x16xf32>
    %cst_121 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %557 = stablehlo.broadcast_in_dim %cst_121, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %558 = stablehlo.multiply %557, %arg20 : tensor<16xf32>
    %cst_122 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %559 = stablehlo.broadcast_in_dim %cst_122, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %560 = stablehlo.multiply %559, %415 : tensor<16xf32>
    %561 = stablehlo.add %558, %560 : tensor<16xf32>
    %cst_123 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %562 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %563 = stablehlo.multiply %562, %arg21 : tensor<16xf32>
    %cst_124 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %564 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %565 = stablehlo.multiply %564, %354 : tensor<16xf32>
    %566 = stablehlo.add %563, %565 : tensor<16xf32>
    %cst_125 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %567 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %568 = stablehlo.multiply %567, %arg22 : tensor<2x8x16xf32>
    %cst_126 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %569 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %570 = stablehlo.multiply %569, %372 : tensor<2x8x16xf32>
    %571 = stablehlo.add %568, %570 : tensor<2x8x16xf32>
    %cst_127 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %572 = stablehlo.broadcast_in_dim %cst_127, dims = [] : (tensor<f32>) -> tensor<3x16x2x8xf32>
    %573 = stablehlo.multiply %572, %arg23 : tensor<3x16x2x8xf32>
    %cst_128 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %574 = stablehlo.broadcast_in_dim %cst_128, dims = [] : (tensor<f32>) -> tensor<3x16x2x8xf32>
    %575 = stablehlo.multiply %574, %409 : tensor<3x16x2x8xf32>
    %576 = stablehlo.add %573, %575 : tensor<3x16x2x8xf32>
    %cst_129 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %577 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %578 = stablehlo.multiply %577, %arg24 : tensor<16x4xf32>
    %cst_130 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %579 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %580 = stablehlo.multiply %579, %346 : tensor<16x4xf32>
    %581 = stablehlo.add %578, %580 : tensor<16x4xf32>
    %cst_131 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %582 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<4x16x32xf32>
    %583 = stablehlo.multiply %582, %arg25 : tensor<4x16x32xf32>
    %cst_132 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %584 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f32>) -> tensor<4x16x32xf32>
    %585 = stablehlo.multiply %584, %286 : tensor<4x16x32xf32>
    %586 = stablehlo.add %583, %585 : tensor<4x16x32xf32>
    %cst_133 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %587 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<4x32x16xf32>
    %588 = stablehlo.multiply %587, %arg26 : tensor<4x32x16xf32>
    %cst_134 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %589 = stablehlo.broadcast_in_dim %cst_134, dims = [] : (tensor<f32>) -> tensor<4x32x16xf32>
    %590 = stablehlo.multiply %589, %281 : tensor<4x32x16xf32>
    %591 = stablehlo.add %588, %590 : tensor<4x32x16xf32>
    %cst_135 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %592 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %593 = stablehlo.multiply %592, %arg27 : tensor<32x16xf32>
    %cst_136 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %594 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %595 = stablehlo.multiply %594, %526 : tensor<32x16xf32>
    %596 = stablehlo.add %593, %595 : tensor<32x16xf32>
    %cst_137 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %597 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %598 = stablehlo.multiply %597, %arg28 : tensor<16xf32>
    %cst_138 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %599 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %600 = stablehlo.multiply %599, %507 : tensor<16xf32>
    %601 = stablehlo.multiply %600, %507 : tensor<16xf32>
    %602 = stablehlo.add %598, %601 : tensor<16xf32>
    %cst_139 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %603 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %604 = stablehlo.multiply %603, %arg29 : tensor<16xf32>
    %cst_140 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %605 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %606 = stablehlo.multiply %605, %446 : tensor<16xf32>
    %607 = stablehlo.multiply %606, %446 : tensor<16xf32>
    %608 = stablehlo.add %604, %607 : tensor<16xf32>
    %cst_141 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %609 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %610 = stablehlo.multiply %609, %arg30 : tensor<2x8x16xf32>
    %cst_142 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %611 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %612 = stablehlo.multiply %611, %464 : tensor<2x8x16xf32>
    %613 = stablehlo.multiply %612, %464 : tensor<2x8x16xf32>
    %614 = stablehlo.add %610, %613 : tensor<2x8x16xf32>
    %cst_143 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %615 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<3x16x2x8xf32>
    %616 = stablehlo.multiply %615, %arg31 : tensor<3x16x2x8xf32>
    %cst_144 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %617 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f32>) -> tensor<3x16x2x8xf32>
    %618 = stablehlo.multiply %617, %501 : tensor<3x16x2x8xf32>
    %619 = stablehlo.multiply %618, %501 : tensor<3x16x2x8xf32>
    %620 = stablehlo.add %616, %619 : tensor<3x16x2x8xf32>
    %cst_145 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %621 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %622 = stablehlo.multiply %621, %arg32 : tensor<16x32xf32>
    %cst_146 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %623 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %624 = stablehlo.multiply %623, %439 : tensor<16x32xf32>
    %625 = stablehlo.multiply %624, %439 : tensor<16x32xf32>
    %626 = stablehlo.add %622, %625 : tensor<16x32xf32>
    %cst_147 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %627 = stablehlo.broadcast_in_dim %cst_147, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %628 = stablehlo.multiply %627, %arg33 : tensor<32x16xf32>
    %cst_148 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %629 = stablehlo.broadcast_in_dim %cst_148, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %630 = stablehlo.multiply %629, %433 : tensor<32x16xf32>
    %631 = stablehlo.multiply %630, %433 : tensor<32x16xf32>
    %632 = stablehlo.add %628, %631 : tensor<32x16xf32>
    %cst_149 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %633 = stablehlo.broadcast_in_dim %cst_149, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %634 = stablehlo.multiply %633, %arg34 : tensor<16xf32>
    %cst_150 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %635 = stablehlo.broadcast_in_dim %cst_150, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %636 = stablehlo.multiply %635, %415 : tensor<16xf32>
    %637 = stablehlo.multiply %636, %415 : tensor<16xf32>
    %638 = stablehlo.add %634, %637 : tensor<16xf32>
    %cst_151 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %639 = stablehlo.broadcast_in_dim %cst_151, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %640 = stablehlo.multiply %639, %arg35 : tensor<16xf32>
    %cst_152 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %641 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %642 = stablehlo.multiply %641, %354 : tensor<16xf32>
    %643 = stablehlo.multiply %642, %354 : tensor<16xf32>
    %644 = stablehlo.add %640, %643 : tensor<16xf32>
    %cst_153 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %645 = stablehlo.broadcast_in_dim %cst_153, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %646 = stablehlo.multiply %645, %arg36 : tensor<2x8x16xf32>
    %cst_154 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %647 = stablehlo.broadcast_in_dim %cst_154, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %648 = stablehlo.multiply %647, %372 : tensor<2x8x16xf32>
    %649 = stablehlo.multiply %648, %372 : tensor<2x8x16xf32>
    %650 = stablehlo.add %646, %649 : tensor<2x8x16xf32>
    %cst_155 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %651 = stablehlo.broadcast_in_dim %cst_155, dims = [] : (tensor<f32>) -> tensor<3x16x2x8xf32>
    %652 = stablehlo.multiply %651, %arg37 : tensor<3x16x2x8xf32>
    %cst_156 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %653 = stablehlo.broadcast_in_dim %cst_156, dims = [] : (tensor<f32>) -> tensor<3x16x2x8xf32>
    %654 = stablehlo.multiply %653, %409 : tensor<3x16x2x8xf32>
    %655 = stablehlo.multiply %654, %409 : tensor<3x16x2x8xf32>
    %656 = stablehlo.add %652, %655 : tensor<3x16x2x8xf32>
    %cst_157 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %657 = stablehlo.broadcast_in_dim %cst_157, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %658 = stablehlo.multiply %657, %arg38 : tensor<16x4xf32>
    %cst_158 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %659 = stablehlo.broadcast_in_dim %cst_158, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %660 = stablehlo.multiply %659, %346 : tensor<16x4xf32>
    %661 = stablehlo.multiply %660, %346 : tensor<16x4xf32>
    %662 = stablehlo.add %658, %661 : tensor<16x4xf32>
    %cst_159 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %663 = stablehlo.broadcast_in_dim %cst_159, dims = [] : (tensor<f32>) -> tensor<4x16x32xf32>
    %664 = stablehlo.multiply %663, %arg39 : tensor<4x16x32xf32>
    %cst_160 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %665 = stablehlo.broadcast_in_dim %cst_160, dims = [] : (tensor<f32>) -> tensor<4x16x32xf32>
    %666 = stablehlo.multiply %665, %286 : tensor<4x16x32xf32>
    %667 = stablehlo.multiply %666, %286 : tensor<4x16x32xf32>
    %668 = stablehlo.add %664, %667 : tensor<4x16x32xf32>
    %cst_161 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %669 = stablehlo.broadcast_in_dim %cst_161, dims = [] : (tensor<f32>) -> tensor<4x32x16xf32>
    %670 = stablehlo.multiply %669, %arg40 : tensor<4x32x16xf32>
    %cst_162 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %671 = stablehlo.broadcast_in_dim %cst_162, dims = [] : (tensor<f32>) -> tensor<4x32x16xf32>
    %672 = stablehlo.multiply %671, %281 : tensor<4x32x16xf32>
    %673 = stablehlo.multiply %672, %281 : tensor<4x32x16xf32>
    %674 = stablehlo.add %670, %673 : tensor<4x32x16xf32>
    %cst_163 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %675 = stablehlo.broadcast_in_dim %cst_163, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %676 = stablehlo.multiply %675, %arg41 : tensor<32x16xf32>
    %cst_164 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %677 = stablehlo.broadcast_in_dim %cst_164, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %678 = stablehlo.multiply %677, %526 : tensor<32x16xf32>
    %679 = stablehlo.multiply %678, %526 : tensor<32x16xf32>
    %680 = stablehlo.add %676, %679 : tensor<32x16xf32>
    %cst_165 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %681 = stablehlo.broadcast_in_dim %cst_165, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %682 = stablehlo.multiply %681, %531 : tensor<16xf32>
    %683 = stablehlo.sqrt %602 : tensor<16xf32>
    %cst_166 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %684 = stablehlo.broadcast_in_dim %cst_166, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %685 = stablehlo.add %683, %684 : tensor<16xf32>
    %686 = stablehlo.divide %682, %685 : tensor<16xf32>
    %687 = stablehlo.subtract %arg0, %686 : tensor<16xf32>
    %cst_167 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %688 = stablehlo.broadcast_in_dim %cst_167, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %689 = stablehlo.multiply %688, %536 : tensor<16xf32>
    %690 = stablehlo.sqrt %608 : tensor<16xf32>
    %cst_168 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %691 = stablehlo.broadcast_in_dim %cst_168, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %692 = stablehlo.add %690, %691 : tensor<16xf32>
    %693 = stablehlo.divide %689, %692 : tensor<16xf32>
    %694 = stablehlo.subtract %arg1, %693 : tensor<16xf32>
    %cst_169 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %695 = stablehlo.broadcast_in_dim %cst_169, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %696 = stablehlo.multiply %695, %541 : tensor<2x8x16xf32>
    %697 = stablehlo.sqrt %614 : tensor<2x8x16xf32>
    %cst_170 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %698 = stablehlo.broadcast_in_dim %cst_170, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %699 = stablehlo.add %697, %698 : tensor<2x8x16xf32>
    %700 = stablehlo.divide %696, %699 : tensor<2x8x16xf32>
    %701 = stablehlo.subtract %arg2, %700 : tensor<2x8x16xf32>
    %cst_171 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %702 = stablehlo.broadcast_in_dim %cst_171, dims = [] : (tensor<f32>) -> tensor<3x16x2x8xf32>
    %703 = stablehlo.multiply %702, %546 : tensor<3x16x2x8xf32>
    %704 = stablehlo.sqrt %620 : tensor<3x16x2x8xf32>
    %cst_172 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %705 = stablehlo.broadcast_in_dim %cst_172, dims = [] : (tensor<f32>) -> tensor<3x16x2x8xf32>
    %706 = stablehlo.add %704, %705 : tensor<3x16x2x8xf32>
    %707 = stablehlo.divide %703, %706 : tensor<3x16x2x8xf32>
    %708 = stablehlo.subtract %arg3, %707 : tensor<3x16x2x8xf32>
    %cst_173 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %709 = stablehlo.broadcast_in_dim %cst_173, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %710 = stablehlo.multiply %709, %551 : tensor<16x32xf32>
    %711 = stablehlo.sqrt %626 : tensor<16x32xf32>
    %cst_174 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %712 = stablehlo.broadcast_in_dim %cst_174, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %713 = stablehlo.add %711, %712 : tensor<16x32xf32>
    %714 = stablehlo.divide %710, %713 : tensor<16x32xf32>
    %715 = stablehlo.subtract %arg4, %714 : tensor<16x32xf32>
    %cst_175 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %716 = stablehlo.broadcast_in_dim %cst_175, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %717 = stablehlo.multiply %716, %556 : tensor<32x16xf32>
    %718 = stablehlo.sqrt %632 : tensor<32x16xf32>
    %cst_176 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %719 = stablehlo.broadcast_in_dim %cst_176, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %720 = stablehlo.add %718, %719 : tensor<32x16xf32>
    %721 = stablehlo.divide %717, %720 : tensor<32x16xf32>
    %722 = stablehlo.subtract %arg5, %721 : tensor<32x16xf32>
    %cst_177 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %723 = stablehlo.broadcast_in_dim %cst_177, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %724 = stablehlo.multiply %723, %561 : tensor<16xf32>
    %725 = stablehlo.sqrt %638 : tensor<16xf32>
    %cst_178 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %726 = stablehlo.broadcast_in_dim %cst_178, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %727 = stablehlo.add %725, %726 : tensor<16xf32>
    %728 = stablehlo.divide %724, %727 : tensor<16xf32>
    %729 = stablehlo.subtract %arg6, %728 : tensor<16xf32>
    %cst_179 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %730 = stablehlo.broadcast_in_dim %cst_179, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %731 = stablehlo.multiply %730, %566 : tensor<16xf32>
    %732 = stablehlo.sqrt %644 : tensor<16xf32>
    %cst_180 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %733 = stablehlo.broadcast_in_dim %cst_180, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %734 = stablehlo.add %732, %733 : tensor<16xf32>
    %735 = stablehlo.divide %731, %734 : tensor<16xf32>
    %736 = stablehlo.subtract %arg7, %735 : tensor<16xf32>
    %cst_181 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %737 = stablehlo.broadcast_in_dim %cst_181, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %738 = stablehlo.multiply %737, %571 : tensor<2x8x16xf32>
    %739 = stablehlo.sqrt %650 : tensor<2x8x16xf32>
    %cst_182 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %740 = stablehlo.broadcast_in_dim %cst_182, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %741 = stablehlo.add %739, %740 : tensor<2x8x16xf32>
    %742 = stablehlo.divide %738, %741 : tensor<2x8x16xf32>
    %743 = stablehlo.subtract %arg8, %742 : tensor<2x8x16xf32>
    %cst_183 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %744 = stablehlo.broadcast_in_dim %cst_183, dims = [] : (tensor<f32>) -> tensor<3x16x2x8xf32>
    %745 = stablehlo.multiply %744, %576 : tensor<3x16x2x8xf32>
    %746 = stablehlo.sqrt %656 : tensor<3x16x2x8xf32>
    %cst_184 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %747 = stablehlo.broadcast_in_dim %cst_184, dims = [] : (tensor<f32>) -> tensor<3x16x2x8xf32>
    %748 = stablehlo.add %746, %747 : tensor<3x16x2x8xf32>
    %749 = stablehlo.divide %745, %748 : tensor<3x16x2x8xf32>
    %750 = stablehlo.subtract %arg9, %749 : tensor<3x16x2x8xf32>
    %cst_185 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %751 = stablehlo.broadcast_in_dim %cst_185, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %752 = stablehlo.multiply %751, %581 : tensor<16x4xf32>
    %753 = stablehlo.sqrt %662 : tensor<16x4xf32>
    %cst_186 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %754 = stablehlo.broadcast_in_dim %cst_186, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %755 = stablehlo.add %753, %754 : tensor<16x4xf32>
    %756 = stablehlo.divide %752, %755 : tensor<16x4xf32>
    %757 = stablehlo.subtract %arg10, %756 : tensor<16x4xf32>
    %cst_187 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %758 = stablehlo.broadcast_in_dim %cst_187, dims = [] : (tensor<f32>) -> tensor<4x16x32xf32>
    %759 = stablehlo.multiply %758, %586 : tensor<4x16x32xf32>
    %760 = stablehlo.sqrt %668 : tensor<4x16x32xf32>
    %cst_188 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %761 = stablehlo.broadcast_in_dim %cst_188, dims = [] : (tensor<f32>) -> tensor<4x16x32xf32>
    %762 = stablehlo.add %760, %761 : tensor<4x16x32xf32>
    %763 = stablehlo.divide %759, %762 : tensor<4x16x32xf32>
    %764 = stablehlo.subtract %arg11, %763 : tensor<4x16x32xf32>
    %cst_189 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %765 = stablehlo.broadcast_in_dim %cst_189, dims = [] : (tensor<f32>) -> tensor<4x32x16xf32>
    %766 = stablehlo.multiply %765, %591 : tensor<4x32x16xf32>
    %767 = stablehlo.sqrt %674 : tensor<4x32x16xf32>
    %cst_190 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %768 = stablehlo.broadcast_in_dim %cst_190, dims = [] : (tensor<f32>) -> tensor<4x32x16xf32>
    %769 = stablehlo.add %767, %768 : tensor<4x32x16xf32>
    %770 = stablehlo.divide %766, %769 : tensor<4x32x16xf32>
    %771 = stablehlo.subtract %arg12, %770 : tensor<4x32x16xf32>
    %cst_191 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %772 = stablehlo.broadcast_in_dim %cst_191, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %773 = stablehlo.multiply %772, %596 : tensor<32x16xf32>
    %774 = stablehlo.sqrt %680 : tensor<32x16xf32>
    %cst_192 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %775 = stablehlo.broadcast_in_dim %cst_192, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %776 = stablehlo.add %774, %775 : tensor<32x16xf32>
    %777 = stablehlo.divide %773, %776 : tensor<32x16xf32>
    %778 = stablehlo.subtract %arg13, %777 : tensor<32x16xf32>
    return %687, %694, %701, %708, %715, %722, %729, %736, %743, %750, %757, %764, %771, %778, %531, %536, %541, %546, %551, %556, %561, %566, %571, %576, %581, %586, %591, %596, %602, %608, %614, %620, %626, %632, %638, %644, %650, %656, %662, %668, %674, %680, %264 : tensor<16xf32>, tensor<16xf32>, tensor<2x8x16xf32>, tensor<3x16x2x8xf32>, tensor<16x32xf32>, tensor<32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<2x8x16xf32>, tensor<3x16x2x8xf32>, tensor<16x4xf32>, tensor<4x16x32xf32>, tensor<4x32x16xf32>, tensor<32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<2x8x16xf32>, tensor<3x16x2x8xf32>, tensor<16x32xf32>, tensor<32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<2x8x16xf32>, tensor<3x16x2x8xf32>, tensor<16x4xf32>, tensor<4x16x32xf32>, tensor<4x32x16xf32>, tensor<32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<2x8x16xf32>, tensor<3x16x2x8xf32>, tensor<16x32xf32>, tensor<32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<2x8x16xf32>, tensor<3x16x2x8xf32>, tensor<16x4xf32>, tensor<4x16x32xf32>, tensor<4x32x16xf32>, tensor<32x16xf32>, tensor<f32>
  }
  func.func private @tril(%arg0: tensor<8x8xi1>) -> tensor<8x8xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<8x8xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x8xi32>
    %2 = stablehlo.add %0, %1 : tensor<8x8xi32>
    %3 = stablehlo.iota dim = 1 : tensor<8x8xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<8x8xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<8x8xi1>, tensor<8x8xi1>
    return %6 : tensor<8x8xi1>
  }
  func.func private @_where(%arg0: tensor<8x8xi1>, %arg1: tensor<2x2x8x8xf32>, %arg2: tensor<f32>) -> (tensor<2x2x8x8xf32>, tensor<2x2x8x8xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<2x2x8x8xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x8x8xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x8x8xi1>, tensor<2x2x8x8xf32>
    return %3, %1 : tensor<2x2x8x8xf32>, tensor<2x2x8x8xi1>
  }
  func.func private @relu(%arg0: tensor<2x8x32xf32>) -> tensor<2x8x32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x8x32xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x8x32xf32>
    return %1 : tensor<2x8x32xf32>
  }
  func.func private @argmax(%arg0: tensor<2x8x4xf32>) -> tensor<2x8xi32> {
    %0 = stablehlo.iota dim = 2 : tensor<2x8x4xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [2] : (tensor<2x8x4xf32>, tensor<2x8x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x8xf32>, tensor<2x8xi32>)
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
    return %1#1 : tensor<2x8xi32>
  }
  func.func private @_one_hot(%arg0: tensor<2x8xi32>) -> tensor<2x8x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<2x8xi32>) -> tensor<2x8x1xi32>
    %1 = stablehlo.iota dim = 2 : tensor<1x1x4xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<2x8x1xi32>) -> tensor<2x8x4xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x4xi32>) -> tensor<2x8x4xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<2x8x4xi32>, tensor<2x8x4xi32>) -> tensor<2x8x4xi1>
    %5 = stablehlo.convert %4 : (tensor<2x8x4xi1>) -> tensor<2x8x4xf32>
    return %5 : tensor<2x8x4xf32>
  }
  func.func private @cumsum(%arg0: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    return %0 : tensor<2x8x4xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [7, 0], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 8, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x8x4xf32>, tensor<f32>) -> tensor<2x8x4xf32>
    return %1 : tensor<2x8x4xf32>
  }
  func.func private @relu_1(%arg0: tensor<4x2x4x32xf32>) -> tensor<4x2x4x32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x2x4x32xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x2x4x32xf32>
    return %1 : tensor<4x2x4x32xf32>
  }
  func.func private @_roll_static(%arg0: tensor<2x8xi32>) -> tensor<2x8xi32> {
    %0 = stablehlo.slice %arg0 [0:2, 1:8] : (tensor<2x8xi32>) -> tensor<2x7xi32>
    %1 = stablehlo.slice %arg0 [0:2, 0:1] : (tensor<2x8xi32>) -> tensor<2x1xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<2x7xi32>, tensor<2x1xi32>) -> tensor<2x8xi32>
    return %2 : tensor<2x8xi32>
  }
  func.func private @log_softmax(%arg0: tensor<2x8x32xf32>) -> (tensor<2x8x32xf32>, tensor<2x8x32xf32>, tensor<2x8x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<2x8x32xf32>, tensor<f32>) -> tensor<2x8xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<2x8xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x32xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x8x32xf32>
    %6 = stablehlo.exponential %5 : tensor<2x8x32xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<2x8x32xf32>, tensor<f32>) -> tensor<2x8xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
    %9 = stablehlo.log %8 : tensor<2x8x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x32xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<2x8x32xf32>
    return %11, %6, %8 : tensor<2x8x32xf32>, tensor<2x8x32xf32>, tensor<2x8x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<2x8x32xf32>, %arg1: tensor<2x8x1xi32>) -> (tensor<2x8x1xf32>, tensor<2x8x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x8x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<2x8x1xi32>, tensor<2x8x1xi32>) -> tensor<2x8x1xi1>
    %c_0 = stablehlo.constant dense<32> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x8x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<2x8x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<2x8x1xi1>, tensor<2x8x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<2x8x1xi32>) -> tensor<2x8x1x1xi32>
    %c_1 = stablehlo.constant dense<31> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x8x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<2x8x1x1xi32>, tensor<2x8x1x1xi32>) -> tensor<2x8x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<2x8x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<2x8x1x1xi32>, tensor<2x8x1x1xi32>) -> tensor<2x8x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<2x8x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<2x8x1x1xi1>, tensor<i1>) -> tensor<2x8x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<2x8x32xf32>, tensor<2x8x1x1xi32>) -> tensor<2x8x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<2x8x1xi1>, tensor<2x8x1xf32>
    return %15, %5 : tensor<2x8x1xf32>, tensor<2x8x1x1xi32>
  }
  func.func private @take_along_axis_2(%arg0: tensor<2x8x1x1xi32>, %arg1: tensor<2x8x1xf32>) -> tensor<2x8x32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x8x32xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x8x32xf32>, tensor<2x8x1x1xi32>, tensor<2x8x1xf32>) -> tensor<2x8x32xf32>
    return %1 : tensor<2x8x32xf32>
  }
  func.func private @log_softmax_3(%arg0: tensor<2x8x32xf32>, %arg1: tensor<2x8x1xf32>, %arg2: tensor<2x8x32xf32>) -> tensor<2x8x32xf32> {
    %0 = stablehlo.negate %arg2 : tensor<2x8x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x8x32xf32>, tensor<f32>) -> tensor<2x8xf32>
    %2 = stablehlo.reshape %1 : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<2x8x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<2x8x1xf32>, tensor<f32>) -> tensor<2x8xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x32xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<2x8x32xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<2x8x32xf32>
    return %7 : tensor<2x8x32xf32>
  }
  func.func private @_where_4(%arg0: tensor<2x2x8x8xi1>, %arg1: tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x8x8xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<2x2x8x8xi1>, tensor<2x2x8x8xf32>
    return %1 : tensor<2x2x8x8xf32>
  }
}
