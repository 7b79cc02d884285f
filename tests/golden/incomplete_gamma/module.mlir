module @jit_incomplete_gamma attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> (tensor<6xf32> {jax.result_info = "result[0]"}, tensor<6xf32> {jax.result_info = "result[1]"}, tensor<6xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %1 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %2 = stablehlo.or %0, %1 : tensor<6xi1>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %4 = stablehlo.compare EQ, %arg1, %3, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %6 = stablehlo.compare EQ, %arg0, %5, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %8 = stablehlo.compare EQ, %arg1, %7, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %10 = stablehlo.compare LT, %arg1, %9, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %12 = stablehlo.compare LT, %arg0, %11, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %13 = stablehlo.and %6, %8 : tensor<6xi1>
    %14 = stablehlo.or %10, %12 : tensor<6xi1>
    %15 = stablehlo.or %14, %13 : tensor<6xi1>
    %16 = stablehlo.or %15, %2 : tensor<6xi1>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %18 = stablehlo.compare GE, %arg1, %17, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %19 = stablehlo.compare GT, %arg1, %arg0, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %20 = stablehlo.and %18, %19 : tensor<6xi1>
    %21 = stablehlo.log %arg1 : tensor<6xf32>
    %22 = stablehlo.multiply %arg0, %21 : tensor<6xf32>
    %23 = stablehlo.subtract %22, %arg1 : tensor<6xf32>
    %24 = chlo.lgamma %arg0 : tensor<6xf32> -> tensor<6xf32>
    %25 = stablehlo.subtract %23, %24 : tensor<6xf32>
    %cst_5 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %26 = stablehlo.log %cst_5 : tensor<f32>
    %27 = stablehlo.negate %26 : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %29 = stablehlo.compare LT, %25, %28, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %30 = stablehlo.exponential %25 : tensor<6xf32>
    %31 = stablehlo.or %8, %16 : tensor<6xi1>
    %32 = stablehlo.or %31, %29 : tensor<6xi1>
    %33 = stablehlo.or %32, %4 : tensor<6xi1>
    %34 = stablehlo.not %33 : tensor<6xi1>
    %35 = stablehlo.and %34, %20 : tensor<6xi1>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %37 = stablehlo.subtract %36, %arg0 : tensor<6xf32>
    %38 = stablehlo.add %arg1, %37 : tensor<6xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %40 = stablehlo.add %38, %39 : tensor<6xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %43 = stablehlo.add %arg1, %42 : tensor<6xf32>
    %44 = stablehlo.multiply %40, %arg1 : tensor<6xf32>
    %45 = stablehlo.divide %43, %44 : tensor<6xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %50 = stablehlo.negate %arg1 : tensor<6xf32>
    %51 = stablehlo.multiply %45, %50 : tensor<6xf32>
    %52 = stablehlo.subtract %49, %51 : tensor<6xf32>
    %53 = stablehlo.divide %52, %44 : tensor<6xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54:15 = stablehlo.while(%iterArg = %35, %iterArg_73 = %45, %iterArg_74 = %46, %iterArg_75 = %37, %iterArg_76 = %40, %iterArg_77 = %cst_14, %iterArg_78 = %43, %iterArg_79 = %44, %iterArg_80 = %41, %iterArg_81 = %arg1, %iterArg_82 = %47, %iterArg_83 = %48, %iterArg_84 = %49, %iterArg_85 = %50, %iterArg_86 = %53) : tensor<6xi1>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<f32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    cond {
      %cst_87 = stablehlo.constant dense<2.000000e+03> : tensor<f32>
      %247 = stablehlo.compare LT, %iterArg_77, %cst_87, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_88 = stablehlo.constant dense<false> : tensor<i1>
      %248 = stablehlo.reduce(%iterArg init: %c_88) applies stablehlo.or across dimensions = [0] : (tensor<6xi1>, tensor<i1>) -> tensor<i1>
      %249 = stablehlo.and %247, %248 : tensor<i1>
      stablehlo.return %249 : tensor<i1>
    } do {
      %cst_87 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %247 = stablehlo.add %iterArg_77, %cst_87 : tensor<f32>
      %cst_88 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %248 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %249 = stablehlo.add %iterArg_75, %248 : tensor<6xf32>
      %cst_89 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %250 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %251 = stablehlo.add %iterArg_76, %250 : tensor<6xf32>
      %252 = stablehlo.broadcast_in_dim %247, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %253 = stablehlo.multiply %249, %252 : tensor<6xf32>
      %254 = stablehlo.multiply %iterArg_78, %251 : tensor<6xf32>
      %255 = stablehlo.multiply %iterArg_80, %253 : tensor<6xf32>
      %256 = stablehlo.subtract %254, %255 : tensor<6xf32>
      %257 = stablehlo.multiply %iterArg_79, %251 : tensor<6xf32>
      %258 = stablehlo.multiply %iterArg_81, %253 : tensor<6xf32>
      %259 = stablehlo.subtract %257, %258 : tensor<6xf32>
      %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %260 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %261 = stablehlo.compare NE, %259, %260, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %262 = stablehlo.divide %256, %259 : tensor<6xf32>
      %263 = stablehlo.subtract %iterArg_73, %262 : tensor<6xf32>
      %264 = stablehlo.divide %263, %262 : tensor<6xf32>
      %265 = stablehlo.abs %264 : tensor<6xf32>
      %cst_91 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %266 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %267 = stablehlo.select %261, %265, %266 : tensor<6xi1>, tensor<6xf32>
      %268 = stablehlo.select %261, %262, %iterArg_73 : tensor<6xi1>, tensor<6xf32>
      %269 = stablehlo.multiply %iterArg_84, %251 : tensor<6xf32>
      %270 = stablehlo.subtract %269, %iterArg_78 : tensor<6xf32>
      %271 = stablehlo.multiply %iterArg_82, %253 : tensor<6xf32>
      %272 = stablehlo.subtract %270, %271 : tensor<6xf32>
      %273 = stablehlo.broadcast_in_dim %247, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %274 = stablehlo.multiply %iterArg_80, %273 : tensor<6xf32>
      %275 = stablehlo.add %272, %274 : tensor<6xf32>
      %276 = stablehlo.multiply %iterArg_85, %251 : tensor<6xf32>
      %277 = stablehlo.subtract %276, %iterArg_79 : tensor<6xf32>
      %278 = stablehlo.multiply %iterArg_83, %253 : tensor<6xf32>
      %279 = stablehlo.subtract %277, %278 : tensor<6xf32>
      %280 = stablehlo.broadcast_in_dim %247, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %281 = stablehlo.multiply %iterArg_81, %280 : tensor<6xf32>
      %282 = stablehlo.add %279, %281 : tensor<6xf32>
      %283 = stablehlo.multiply %268, %282 : tensor<6xf32>
      %284 = stablehlo.subtract %275, %283 : tensor<6xf32>
      %285 = stablehlo.divide %284, %259 : tensor<6xf32>
      %286 = stablehlo.select %261, %285, %iterArg_86 : tensor<6xi1>, tensor<6xf32>
      %287 = stablehlo.subtract %286, %iterArg_86 : tensor<6xf32>
      %288 = stablehlo.abs %287 : tensor<6xf32>
      %cst_92 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %289 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %290 = stablehlo.select %261, %288, %289 : tensor<6xi1>, tensor<6xf32>
      %291 = stablehlo.abs %256 : tensor<6xf32>
      %cst_93 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %cst_94 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %292 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<f32>
      %293 = stablehlo.divide %292, %cst_93 : tensor<f32>
      %294 = stablehlo.broadcast_in_dim %293, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %295 = stablehlo.compare GT, %291, %294, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %cst_95 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %296 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %297 = stablehlo.multiply %iterArg_78, %296 : tensor<6xf32>
      %298 = stablehlo.select %295, %297, %iterArg_78 : tensor<6xi1>, tensor<6xf32>
      %cst_96 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %299 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %300 = stablehlo.multiply %256, %299 : tensor<6xf32>
      %301 = stablehlo.select %295, %300, %256 : tensor<6xi1>, tensor<6xf32>
      %cst_97 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %302 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %303 = stablehlo.multiply %iterArg_79, %302 : tensor<6xf32>
      %304 = stablehlo.select %295, %303, %iterArg_79 : tensor<6xi1>, tensor<6xf32>
      %cst_98 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %305 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %306 = stablehlo.multiply %259, %305 : tensor<6xf32>
      %307 = stablehlo.select %295, %306, %259 : tensor<6xi1>, tensor<6xf32>
      %cst_99 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %308 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %309 = stablehlo.multiply %iterArg_84, %308 : tensor<6xf32>
      %310 = stablehlo.select %295, %309, %iterArg_84 : tensor<6xi1>, tensor<6xf32>
      %cst_100 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %311 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %312 = stablehlo.multiply %iterArg_85, %311 : tensor<6xf32>
      %313 = stablehlo.select %295, %312, %iterArg_85 : tensor<6xi1>, tensor<6xf32>
      %cst_101 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %314 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %315 = stablehlo.multiply %275, %314 : tensor<6xf32>
      %316 = stablehlo.select %295, %315, %275 : tensor<6xi1>, tensor<6xf32>
      %cst_102 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %317 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %318 = stablehlo.multiply %282, %317 : tensor<6xf32>
      %319 = stablehlo.select %295, %318, %282 : tensor<6xi1>, tensor<6xf32>
      %cst_103 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %320 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %321 = stablehlo.compare GT, %267, %320, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %322 = stablehlo.and %iterArg, %321 : tensor<6xi1>
      %323 = stablehlo.select %iterArg, %268, %iterArg_73 : tensor<6xi1>, tensor<6xf32>
      %324 = stablehlo.select %iterArg, %267, %iterArg_74 : tensor<6xi1>, tensor<6xf32>
      %325 = stablehlo.select %iterArg, %249, %iterArg_75 : tensor<6xi1>, tensor<6xf32>
      %326 = stablehlo.select %iterArg, %251, %iterArg_76 : tensor<6xi1>, tensor<6xf32>
      %327 = stablehlo.select %iterArg, %301, %iterArg_78 : tensor<6xi1>, tensor<6xf32>
      %328 = stablehlo.select %iterArg, %307, %iterArg_79 : tensor<6xi1>, tensor<6xf32>
      %329 = stablehlo.select %iterArg, %298, %iterArg_80 : tensor<6xi1>, tensor<6xf32>
      %330 = stablehlo.select %iterArg, %304, %iterArg_81 : tensor<6xi1>, tensor<6xf32>
      %331 = stablehlo.select %iterArg, %310, %iterArg_82 : tensor<6xi1>, tensor<6xf32>
      %332 = stablehlo.select %iterArg, %313, %iterArg_83 : tensor<6xi1>, tensor<6xf32>
      %333 = stablehlo.select %iterArg, %316, %iterArg_84 : tensor<6xi1>, tensor<6xf32>
      %334 = stablehlo.select %iterArg, %319, %iterArg_85 : tensor<6xi1>, tensor<6xf32>
      %335 = stablehlo.select %iterArg, %286, %iterArg_86 : tensor<6xi1>, tensor<6xf32>
      stablehlo.return %322, %323, %324, %325, %326, %247, %327, %328, %329, %330, %331, %332, %333, %334, %335 : tensor<6xi1>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<f32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    }
    %55 = stablehlo.multiply %54#1, %30 : tensor<6xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %57 = stablehlo.subtract %56, %55 : tensor<6xf32>
    %58 = stablehlo.not %20 : tensor<6xi1>
    %59 = stablehlo.and %34, %58 : tensor<6xi1>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %64:7 = stablehlo.while(%iterArg = %59, %iterArg_73 = %arg0, %iterArg_74 = %60, %iterArg_75 = %61, %iterArg_76 = %arg1, %iterArg_77 = %62, %iterArg_78 = %63) : tensor<6xi1>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    cond {
      %c_79 = stablehlo.constant dense<false> : tensor<i1>
      %247 = stablehlo.reduce(%iterArg init: %c_79) applies stablehlo.or across dimensions = [0] : (tensor<6xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %247 : tensor<i1>
    } do {
      %cst_79 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %247 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %248 = stablehlo.add %iterArg_73, %247 : tensor<6xf32>
      %249 = stablehlo.divide %iterArg_76, %248 : tensor<6xf32>
      %250 = stablehlo.multiply %iterArg_77, %249 : tensor<6xf32>
      %251 = stablehlo.multiply %iterArg_74, %iterArg_76 : tensor<6xf32>
      %252 = stablehlo.multiply %248, %248 : tensor<6xf32>
      %253 = stablehlo.divide %251, %252 : tensor<6xf32>
      %254 = stablehlo.subtract %250, %253 : tensor<6xf32>
      %255 = stablehlo.add %iterArg_78, %254 : tensor<6xf32>
      %256 = stablehlo.divide %iterArg_76, %248 : tensor<6xf32>
      %257 = stablehlo.multiply %iterArg_74, %256 : tensor<6xf32>
      %258 = stablehlo.add %iterArg_75, %257 : tensor<6xf32>
      %259 = stablehlo.divide %257, %258 : tensor<6xf32>
      %cst_80 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %260 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %261 = stablehlo.compare GT, %259, %260, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %262 = stablehlo.and %iterArg, %261 : tensor<6xi1>
      %263 = stablehlo.select %iterArg, %248, %iterArg_73 : tensor<6xi1>, tensor<6xf32>
      %264 = stablehlo.select %iterArg, %257, %iterArg_74 : tensor<6xi1>, tensor<6xf32>
      %265 = stablehlo.select %iterArg, %258, %iterArg_75 : tensor<6xi1>, tensor<6xf32>
      %266 = stablehlo.select %iterArg, %iterArg_76, %iterArg_76 : tensor<6xi1>, tensor<6xf32>
      %267 = stablehlo.select %iterArg, %254, %iterArg_77 : tensor<6xi1>, tensor<6xf32>
      %268 = stablehlo.select %iterArg, %255, %iterArg_78 : tensor<6xi1>, tensor<6xf32>
      stablehlo.return %262, %263, %264, %265, %266, %267, %268 : tensor<6xi1>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    }
    %65 = stablehlo.multiply %64#3, %30 : tensor<6xf32>
    %66 = stablehlo.divide %65, %arg0 : tensor<6xf32>
    %67 = stablehlo.select %20, %57, %66 : tensor<6xi1>, tensor<6xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %69 = stablehlo.select %8, %68, %67 : tensor<6xi1>, tensor<6xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %71 = stablehlo.select %4, %70, %69 : tensor<6xi1>, tensor<6xf32>
    %cst_22 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %73 = stablehlo.select %16, %72, %71 : tensor<6xi1>, tensor<6xf32>
    %74 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %75 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %76 = stablehlo.or %74, %75 : tensor<6xi1>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %78 = stablehlo.compare EQ, %arg0, %77, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %80 = stablehlo.compare EQ, %arg1, %79, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_25 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %82 = stablehlo.compare EQ, %arg1, %81, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %84 = stablehlo.compare LT, %arg1, %83, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %86 = stablehlo.compare LT, %arg0, %85, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %87 = stablehlo.and %78, %80 : tensor<6xi1>
    %88 = stablehlo.or %84, %86 : tensor<6xi1>
    %89 = stablehlo.or %88, %87 : tensor<6xi1>
    %90 = stablehlo.or %89, %76 : tensor<6xi1>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %92 = stablehlo.compare LT, %arg1, %91, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %93 = stablehlo.compare LT, %arg1, %arg0, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %94 = stablehlo.or %92, %93 : tensor<6xi1>
    %95 = stablehlo.log %arg1 : tensor<6xf32>
    %96 = stablehlo.multiply %arg0, %95 : tensor<6xf32>
    %97 = stablehlo.subtract %96, %arg1 : tensor<6xf32>
    %98 = chlo.lgamma %arg0 : tensor<6xf32> -> tensor<6xf32>
    %99 = stablehlo.subtract %97, %98 : tensor<6xf32>
    %cst_29 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %100 = stablehlo.log %cst_29 : tensor<f32>
    %101 = stablehlo.negate %100 : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %101, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %103 = stablehlo.compare LT, %99, %102, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %104 = stablehlo.or %90, %103 : tensor<6xi1>
    %105 = stablehlo.or %104, %82 : tensor<6xi1>
    %106 = stablehlo.or %105, %78 : tensor<6xi1>
    %107 = stablehlo.not %106 : tensor<6xi1>
    %108 = stablehlo.exponential %99 : tensor<6xf32>
    %109 = stablehlo.and %107, %94 : tensor<6xi1>
    %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_31 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %114:7 = stablehlo.while(%iterArg = %109, %iterArg_73 = %arg0, %iterArg_74 = %110, %iterArg_75 = %111, %iterArg_76 = %arg1, %iterArg_77 = %112, %iterArg_78 = %113) : tensor<6xi1>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    cond {
      %c_79 = stablehlo.constant dense<false> : tensor<i1>
      %247 = stablehlo.reduce(%iterArg init: %c_79) applies stablehlo.or across dimensions = [0] : (tensor<6xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %247 : tensor<i1>
    } do {
      %cst_79 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %247 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %248 = stablehlo.add %iterArg_73, %247 : tensor<6xf32>
      %249 = stablehlo.divide %iterArg_76, %248 : tensor<6xf32>
      %250 = stablehlo.multiply %iterArg_77, %249 : tensor<6xf32>
      %251 = stablehlo.multiply %iterArg_74, %iterArg_76 : tensor<6xf32>
      %252 = stablehlo.multiply %248, %248 : tensor<6xf32>
      %253 = stablehlo.divide %251, %252 : tensor<6xf32>
      %254 = stablehlo.subtract %250, %253 : tensor<6xf32>
      %255 = stablehlo.add %iterArg_78, %254 : tensor<6xf32>
      %256 = stablehlo.divide %iterArg_76, %248 : tensor<6xf32>
      %257 = stablehlo.multiply %iterArg_74, %256 : tensor<6xf32>
      %258 = stablehlo.add %iterArg_75, %257 : tensor<6xf32>
      %259 = stablehlo.divide %257, %258 : tensor<6xf32>
      %cst_80 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %260 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %261 = stablehlo.compare GT, %259, %260, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %262 = stablehlo.and %iterArg, %261 : tensor<6xi1>
      %263 = stablehlo.select %iterArg, %248, %iterArg_73 : tensor<6xi1>, tensor<6xf32>
      %264 = stablehlo.select %iterArg, %257, %iterArg_74 : tensor<6xi1>, tensor<6xf32>
      %265 = stablehlo.select %iterArg, %258, %iterArg_75 : tensor<6xi1>, tensor<6xf32>
      %266 = stablehlo.select %iterArg, %iterArg_76, %iterArg_76 : tensor<6xi1>, tensor<6xf32>
      %267 = stablehlo.select %iterArg, %254, %iterArg_77 : tensor<6xi1>, tensor<6xf32>
      %268 = stablehlo.select %iterArg, %255, %iterArg_78 : tensor<6xi1>, tensor<6xf32>
      stablehlo.return %262, %263, %264, %265, %266, %267, %268 : tensor<6xi1>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    }
    %115 = stablehlo.multiply %114#3, %108 : tensor<6xf32>
    %116 = stablehlo.divide %115, %arg0 : tensor<6xf32>
    %117 = stablehlo.not %94 : tensor<6xi1>
    %118 = stablehlo.and %107, %117 : tensor<6xi1>
    %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %120 = stablehlo.subtract %119, %arg0 : tensor<6xf32>
    %121 = stablehlo.add %arg1, %120 : tensor<6xf32>
    %cst_35 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %123 = stablehlo.add %121, %122 : tensor<6xf32>
    %cst_36 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_37 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %126 = stablehlo.add %arg1, %125 : tensor<6xf32>
    %127 = stablehlo.multiply %123, %arg1 : tensor<6xf32>
    %128 = stablehlo.divide %126, %127 : tensor<6xf32>
    %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %133 = stablehlo.negate %arg1 : tensor<6xf32>
    %134 = stablehlo.multiply %128, %133 : tensor<6xf32>
    %135 = stablehlo.subtract %132, %134 : tensor<6xf32>
    %136 = stablehlo.divide %135, %127 : tensor<6xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %137:15 = stablehlo.while(%iterArg = %118, %iterArg_73 = %128, %iterArg_74 = %129, %iterArg_75 = %120, %iterArg_76 = %123, %iterArg_77 = %cst_42, %iterArg_78 = %126, %iterArg_79 = %127, %iterArg_80 = %124, %iterArg_81 = %arg1, %iterArg_82 = %130, %iterArg_83 = %131, %iterArg_84 = %132, %iterArg_85 = %133, %iterArg_86 = %136) : tensor<6xi1>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<f32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    cond {
      %cst_87 = stablehlo.constant dense<2.000000e+03> : tensor<f32>
      %247 = stablehlo.compare LT, %iterArg_77, %cst_87, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_88 = stablehlo.constant dense<false> : tensor<i1>
      %248 = stablehlo.reduce(%iterArg init: %c_88) applies stablehlo.or across dimensions = [0] : (tensor<6xi1>, tensor<i1>) -> tensor<i1>
      %249 = stablehlo.and %247, %248 : tensor<i1>
      stablehlo.return %249 : tensor<i1>
    } do {
      %cst_87 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %247 = stablehlo.add %iterArg_77, %cst_87 : tensor<f32>
      %cst_88 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %248 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %249 = stablehlo.add %iterArg_75, %248 : tensor<6xf32>
      %cst_89 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %250 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %251 = stablehlo.add %iterArg_76, %250 : tensor<6xf32>
      %252 = stablehlo.broadcast_in_dim %247, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %253 = stablehlo.multiply %249, %252 : tensor<6xf32>
      %254 = stablehlo.multiply %iterArg_78, %251 : tensor<6xf32>
      %255 = stablehlo.multiply %iterArg_80, %253 : tensor<6xf32>
      %256 = stablehlo.subtract %254, %255 : tensor<6xf32>
      %257 = stablehlo.multiply %iterArg_79, %251 : tensor<6xf32>
      %258 = stablehlo.multiply %iterArg_81, %253 : tensor<6xf32>
      %259 = stablehlo.subtract %257, %258 : tensor<6xf32>
      %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %260 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %261 = stablehlo.compare NE, %259, %260, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %262 = stablehlo.divide %256, %259 : tensor<6xf32>
      %263 = stablehlo.subtract %iterArg_73, %262 : tensor<6xf32>
      %264 = stablehlo.divide %263, %262 : tensor<6xf32>
      %265 = stablehlo.abs %264 : tensor<6xf32>
      %cst_91 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %266 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %267 = stablehlo.select %261, %265, %266 : tensor<6xi1>, tensor<6xf32>
      %268 = stablehlo.select %261, %262, %iterArg_73 : tensor<6xi1>, tensor<6xf32>
      %269 = stablehlo.multiply %iterArg_84, %251 : tensor<6xf32>
      %270 = stablehlo.subtract %269, %iterArg_78 : tensor<6xf32>
      %271 = stablehlo.multiply %iterArg_82, %253 : tensor<6xf32>
      %272 = stablehlo.subtract %270, %271 : tensor<6xf32>
      %273 = stablehlo.broadcast_in_dim %247, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %274 = stablehlo.multiply %iterArg_80, %273 : tensor<6xf32>
      %275 = stablehlo.add %272, %274 : tensor<6xf32>
      %276 = stablehlo.multiply %iterArg_85, %251 : tensor<6xf32>
      %277 = stablehlo.subtract %276, %iterArg_79 : tensor<6xf32>
      %278 = stablehlo.multiply %iterArg_83, %253 : tensor<6xf32>
      %279 = stablehlo.subtract %277, %278 : tensor<6xf32>
      %280 = stablehlo.broadcast_in_dim %247, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %281 = stablehlo.multiply %iterArg_81, %280 : tensor<6xf32>
      %282 = stablehlo.add %279, %281 : tensor<6xf32>
      %283 = stablehlo.multiply %268, %282 : tensor<6xf32>
      %284 = stablehlo.subtract %275, %283 : tensor<6xf32>
      %285 = stablehlo.divide %284, %259 : tensor<6xf32>
      %286 = stablehlo.select %261, %285, %iterArg_86 : tensor<6xi1>, tensor<6xf32>
      %287 = stablehlo.subtract %286, %iterArg_86 : tensor<6xf32>
      %288 = stablehlo.abs %287 : tensor<6xf32>
      %cst_92 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %289 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %290 = stablehlo.select %261, %288, %289 : tensor<6xi1>, tensor<6xf32>
      %291 = stablehlo.abs %256 : tensor<6xf32>
      %cst_93 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %cst_94 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %292 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<f32>
      %293 = stablehlo.divide %292, %cst_93 : tensor<f32>
      %294 = stablehlo.broadcast_in_dim %293, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %295 = stablehlo.compare GT, %291, %294, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %cst_95 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %296 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %297 = stablehlo.multiply %iterArg_78, %296 : tensor<6xf32>
      %298 = stablehlo.select %295, %297, %iterArg_78 : tensor<6xi1>, tensor<6xf32>
      %cst_96 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %299 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %300 = stablehlo.multiply %256, %299 : tensor<6xf32>
      %301 = stablehlo.select %295, %300, %256 : tensor<6xi1>, tensor<6xf32>
      %cst_97 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %302 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %303 = stablehlo.multiply %iterArg_79, %302 : tensor<6xf32>
      %304 = stablehlo.select %295, %303, %iterArg_79 : tensor<6xi1>, tensor<6xf32>
      %cst_98 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %305 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %306 = stablehlo.multiply %259, %305 : tensor<6xf32>
      %307 = stablehlo.select %295, %306, %259 : tensor<6xi1>, tensor<6xf32>
      %cst_99 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %308 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %309 = stablehlo.multiply %iterArg_84, %308 : tensor<6xf32>
      %310 = stablehlo.select %295, %309, %iterArg_84 : tensor<6xi1>, tensor<6xf32>
      %cst_100 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %311 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %312 = stablehlo.multiply %iterArg_85, %311 : tensor<6xf32>
      %313 = stablehlo.select %295, %312, %iterArg_85 : tensor<6xi1>, tensor<6xf32>
      %cst_101 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %314 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %315 = stablehlo.multiply %275, %314 : tensor<6xf32>
      %316 = stablehlo.select %295, %315, %275 : tensor<6xi1>, tensor<6xf32>
      %cst_102 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %317 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %318 = stablehlo.multiply %282, %317 : tensor<6xf32>
      %319 = stablehlo.select %295, %318, %282 : tensor<6xi1>, tensor<6xf32>
      %cst_103 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %320 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %321 = stablehlo.compare GT, %267, %320, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %322 = stablehlo.and %iterArg, %321 : tensor<6xi1>
      %323 = stablehlo.select %iterArg, %268, %iterArg_73 : tensor<6xi1>, tensor<6xf32>
      %324 = stablehlo.select %iterArg, %267, %iterArg_74 : tensor<6xi1>, tensor<6xf32>
      %325 = stablehlo.select %iterArg, %249, %iterArg_75 : tensor<6xi1>, tensor<6xf32>
      %326 = stablehlo.select %iterArg, %251, %iterArg_76 : tensor<6xi1>, tensor<6xf32>
      %327 = stablehlo.select %iterArg, %301, %iterArg_78 : tensor<6xi1>, tensor<6xf32>
      %328 = stablehlo.select %iterArg, %307, %iterArg_79 : tensor<6xi1>, tensor<6xf32>
      %329 = stablehlo.select %iterArg, %298, %iterArg_80 : tensor<6xi1>, tensor<6xf32>
      %330 = stablehlo.select %iterArg, %304, %iterArg_81 : tensor<6xi1>, tensor<6xf32>
      %331 = stablehlo.select %iterArg, %310, %iterArg_82 : tensor<6xi1>, tensor<6xf32>
      %332 = stablehlo.select %iterArg, %313, %iterArg_83 : tensor<6xi1>, tensor<6xf32>
      %333 = stablehlo.select %iterArg, %316, %iterArg_84 : tensor<6xi1>, tensor<6xf32>
      %334 = stablehlo.select %iterArg, %319, %iterArg_85 : tensor<6xi1>, tensor<6xf32>
      %335 = stablehlo.select %iterArg, %286, %iterArg_86 : tensor<6xi1>, tensor<6xf32>
      stablehlo.return %322, %323, %324, %325, %326, %247, %327, %328, %329, %330, %331, %332, %333, %334, %335 : tensor<6xi1>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<f32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    }
    %138 = stablehlo.multiply %137#1, %108 : tensor<6xf32>
    %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %140 = stablehlo.subtract %139, %116 : tensor<6xf32>
    %141 = stablehlo.select %94, %140, %138 : tensor<6xi1>, tensor<6xf32>
    %142 = stablehlo.or %82, %78 : tensor<6xi1>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %144 = stablehlo.select %142, %143, %141 : tensor<6xi1>, tensor<6xf32>
    %cst_45 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %146 = stablehlo.select %90, %145, %144 : tensor<6xi1>, tensor<6xf32>
    %cst_46 = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %147 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %149 = stablehlo.compare EQ, %arg0, %148, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_48 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %150 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %151 = stablehlo.compare EQ, %arg1, %150, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %152 = stablehlo.or %149, %151 : tensor<6xi1>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %153 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %154 = stablehlo.compare EQ, %arg1, %153, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_50 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %155 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %156 = stablehlo.compare EQ, %arg0, %155, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %157 = stablehlo.or %154, %156 : tensor<6xi1>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %158 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %159 = stablehlo.compare EQ, %147, %158, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %161 = stablehlo.compare EQ, %147, %160, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %162 = stablehlo.not %159 : tensor<6xi1>
    %163 = stablehlo.not %161 : tensor<6xi1>
    %164 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %165 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %166 = stablehlo.or %164, %165 : tensor<6xi1>
    %167 = stablehlo.compare NE, %147, %147, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %168 = stablehlo.or %166, %167 : tensor<6xi1>
    %169 = stablehlo.and %157, %163 : tensor<6xi1>
    %170 = stablehlo.and %152, %159 : tensor<6xi1>
    %171 = stablehlo.or %169, %170 : tensor<6xi1>
    %172 = stablehlo.and %152, %162 : tensor<6xi1>
    %173 = stablehlo.and %157, %161 : tensor<6xi1>
    %174 = stablehlo.or %172, %173 : tensor<6xi1>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %175 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %176 = stablehlo.compare LT, %arg0, %175, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %177 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %178 = stablehlo.compare LT, %arg1, %177, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %179 = stablehlo.or %176, %178 : tensor<6xi1>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %180 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %181 = stablehlo.compare LT, %147, %180, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %182 = stablehlo.or %179, %181 : tensor<6xi1>
    %cst_56 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %184 = stablehlo.compare GT, %147, %183, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %185 = stablehlo.or %182, %184 : tensor<6xi1>
    %186 = stablehlo.and %152, %157 : tensor<6xi1>
    %187 = stablehlo.or %186, %168 : tensor<6xi1>
    %188 = stablehlo.or %185, %187 : tensor<6xi1>
    %cst_57 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %190 = stablehlo.add %arg0, %189 : tensor<6xf32>
    %191 = stablehlo.add %arg0, %arg1 : tensor<6xf32>
    %cst_58 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %192 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %193 = stablehlo.add %191, %192 : tensor<6xf32>
    %194 = stablehlo.divide %190, %193 : tensor<6xf32>
    %195 = stablehlo.compare LT, %147, %194, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %196 = stablehlo.select %195, %arg0, %arg1 : tensor<6xi1>, tensor<6xf32>
    %197 = stablehlo.select %195, %arg1, %arg0 : tensor<6xi1>, tensor<6xf32>
    %cst_59 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %198 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %199 = stablehlo.subtract %198, %147 : tensor<6xf32>
    %200 = stablehlo.select %195, %147, %199 : tensor<6xi1>, tensor<6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %201 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %c_60 = stablehlo.constant dense<0> : tensor<i32>
    %202 = stablehlo.broadcast_in_dim %c_60, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %203 = stablehlo.compare EQ, %201, %202, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %204 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_62 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %205 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %206 = stablehlo.select %203, %204, %205 : tensor<6xi1>, tensor<6xf32>
    %207 = stablehlo.abs %206 : tensor<6xf32>
    %cst_63 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
    %208 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %209 = stablehlo.compare LT, %207, %208, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_64 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
    %210 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %211 = stablehlo.select %209, %210, %206 : tensor<6xi1>, tensor<6xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %212 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %c_66 = stablehlo.constant dense<1> : tensor<i32>
    %c_67 = stablehlo.constant dense<true> : tensor<i1>
    %213:8 = stablehlo.while(%iterArg = %196, %iterArg_73 = %197, %iterArg_74 = %200, %iterArg_75 = %c_66, %iterArg_76 = %c_67, %iterArg_77 = %211, %iterArg_78 = %212, %iterArg_79 = %211) : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<i32>, tensor<i1>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    cond {
      %c_80 = stablehlo.constant dense<200> : tensor<i32>
      %247 = stablehlo.compare LT, %iterArg_75, %c_80, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %248 = stablehlo.and %247, %iterArg_76 : tensor<i1>
      stablehlo.return %248 : tensor<i1>
    } do {
      %247 = stablehlo.broadcast_in_dim %iterArg_75, dims = [] : (tensor<i32>) -> tensor<6xi32>
      %c_80 = stablehlo.constant dense<2> : tensor<i32>
      %248 = stablehlo.broadcast_in_dim %c_80, dims = [] : (tensor<i32>) -> tensor<6xi32>
      %249 = func.call @remainder(%247, %248) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
      %c_81 = stablehlo.constant dense<0> : tensor<i32>
      %250 = stablehlo.broadcast_in_dim %c_81, dims = [] : (tensor<i32>) -> tensor<6xi32>
      %251 = stablehlo.compare EQ, %249, %250, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
      %c_82 = stablehlo.constant dense<1> : tensor<i32>
      %252 = stablehlo.broadcast_in_dim %c_82, dims = [] : (tensor<i32>) -> tensor<6xi32>
      %253 = stablehlo.compare EQ, %247, %252, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
      %c_83 = stablehlo.constant dense<1> : tensor<i32>
      %254 = stablehlo.broadcast_in_dim %c_83, dims = [] : (tensor<i32>) -> tensor<6xi32>
      %255 = stablehlo.subtract %247, %254 : tensor<6xi32>
      %c_84 = stablehlo.constant dense<2> : tensor<i32>
      %256 = stablehlo.broadcast_in_dim %c_84, dims = [] : (tensor<i32>) -> tensor<6xi32>
      %257 = func.call @floor_divide(%255, %256) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
      %c_85 = stablehlo.constant dense<0> : tensor<i32>
      %258 = stablehlo.broadcast_in_dim %c_85, dims = [] : (tensor<i32>) -> tensor<6xi32>
      %259 = stablehlo.compare EQ, %257, %258, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
      %260 = stablehlo.convert %257 : (tensor<6xi32>) -> tensor<6xf32>
      %cst_86 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %261 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %cst_87 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %262 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %263 = stablehlo.add %iterArg, %iterArg_73 : tensor<6xf32>
      %264 = stablehlo.negate %263 : tensor<6xf32>
      %265 = stablehlo.multiply %264, %iterArg_74 : tensor<6xf32>
      %266 = stablehlo.add %iterArg, %261 : tensor<6xf32>
      %267 = stablehlo.divide %265, %266 : tensor<6xf32>
      %268 = stablehlo.add %iterArg, %260 : tensor<6xf32>
      %269 = stablehlo.negate %268 : tensor<6xf32>
      %270 = stablehlo.add %iterArg, %iterArg_73 : tensor<6xf32>
      %271 = stablehlo.add %270, %260 : tensor<6xf32>
      %272 = stablehlo.multiply %269, %271 : tensor<6xf32>
      %273 = stablehlo.multiply %272, %iterArg_74 : tensor<6xf32>
      %274 = stablehlo.multiply %262, %260 : tensor<6xf32>
      %275 = stablehlo.add %iterArg, %274 : tensor<6xf32>
      %276 = stablehlo.multiply %262, %260 : tensor<6xf32>
      %277 = stablehlo.add %iterArg, %276 : tensor<6xf32>
      %278 = stablehlo.add %277, %261 : tensor<6xf32>
      %279 = stablehlo.multiply %275, %278 : tensor<6xf32>
      %280 = stablehlo.divide %273, %279 : tensor<6xf32>
      %281 = stablehlo.select %259, %267, %280 : tensor<6xi1>, tensor<6xf32>
      %282 = stablehlo.subtract %iterArg_73, %260 : tensor<6xf32>
      %283 = stablehlo.multiply %260, %282 : tensor<6xf32>
      %284 = stablehlo.multiply %283, %iterArg_74 : tensor<6xf32>
      %285 = stablehlo.multiply %262, %260 : tensor<6xf32>
      %286 = stablehlo.add %iterArg, %285 : tensor<6xf32>
      %287 = stablehlo.subtract %286, %261 : tensor<6xf32>
      %288 = stablehlo.multiply %262, %260 : tensor<6xf32>
      %289 = stablehlo.add %iterArg, %288 : tensor<6xf32>
      %290 = stablehlo.multiply %287, %289 : tensor<6xf32>
      %291 = stablehlo.divide %284, %290 : tensor<6xf32>
      %cst_88 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %292 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %293 = stablehlo.select %251, %281, %291 : tensor<6xi1>, tensor<6xf32>
      %294 = stablehlo.select %253, %292, %293 : tensor<6xi1>, tensor<6xf32>
      %295 = stablehlo.broadcast_in_dim %iterArg_75, dims = [] : (tensor<i32>) -> tensor<6xi32>
      %c_89 = stablehlo.constant dense<0> : tensor<i32>
      %296 = stablehlo.broadcast_in_dim %c_89, dims = [] : (tensor<i32>) -> tensor<6xi32>
      %297 = stablehlo.compare EQ, %295, %296, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
      %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %298 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %cst_91 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %299 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %300 = stablehlo.select %297, %298, %299 : tensor<6xi1>, tensor<6xf32>
      %301 = stablehlo.divide %294, %iterArg_77 : tensor<6xf32>
      %302 = stablehlo.add %300, %301 : tensor<6xf32>
      %cst_92 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
      %303 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %304 = stablehlo.abs %302 : tensor<6xf32>
      %305 = stablehlo.compare LT, %304, %303, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %306 = stablehlo.select %305, %303, %302 : tensor<6xi1>, tensor<6xf32>
      %307 = stablehlo.multiply %294, %iterArg_78 : tensor<6xf32>
      %308 = stablehlo.add %300, %307 : tensor<6xf32>
      %309 = stablehlo.abs %308 : tensor<6xf32>
      %310 = stablehlo.compare LT, %309, %303, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %311 = stablehlo.select %310, %303, %308 : tensor<6xi1>, tensor<6xf32>
      %cst_93 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %312 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %313 = stablehlo.divide %312, %311 : tensor<6xf32>
      %314 = stablehlo.multiply %306, %313 : tensor<6xf32>
      %315 = stablehlo.multiply %iterArg_79, %314 : tensor<6xf32>
      %c_94 = stablehlo.constant dense<1> : tensor<i32>
      %316 = stablehlo.add %iterArg_75, %c_94 : tensor<i32>
      %cst_95 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %317 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %318 = stablehlo.subtract %314, %317 : tensor<6xf32>
      %319 = stablehlo.abs %318 : tensor<6xf32>
      %cst_96 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
      %320 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %321 = stablehlo.compare GE, %319, %320, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %c_97 = stablehlo.constant dense<false> : tensor<i1>
      %322 = stablehlo.reduce(%321 init: %c_97) applies stablehlo.or across dimensions = [0] : (tensor<6xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %iterArg, %iterArg_73, %iterArg_74, %316, %322, %306, %313, %315 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<i32>, tensor<i1>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    }
    %214 = chlo.lgamma %197 : tensor<6xf32> -> tensor<6xf32>
    %215 = stablehlo.add %196, %197 : tensor<6xf32>
    %216 = chlo.lgamma %215 : tensor<6xf32> -> tensor<6xf32>
    %217 = stablehlo.subtract %214, %216 : tensor<6xf32>
    %218 = chlo.lgamma %196 : tensor<6xf32> -> tensor<6xf32>
    %219 = stablehlo.add %218, %217 : tensor<6xf32>
    %cst_68 = stablehlo.constant dense<2.3509887E-38> : tensor<f32>
    %220 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %221 = stablehlo.compare LT, %196, %220, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %222 = stablehlo.negate %200 : tensor<6xf32>
    %223 = stablehlo.log_plus_one %222 : tensor<6xf32>
    %224 = stablehlo.multiply %223, %197 : tensor<6xf32>
    %225 = stablehlo.subtract %224, %217 : tensor<6xf32>
    %226 = stablehlo.exponential %225 : tensor<6xf32>
    %227 = stablehlo.log %200 : tensor<6xf32>
    %228 = stablehlo.multiply %227, %196 : tensor<6xf32>
    %229 = stablehlo.negate %200 : tensor<6xf32>
    %230 = stablehlo.log_plus_one %229 : tensor<6xf32>
    %231 = stablehlo.multiply %230, %197 : tensor<6xf32>
    %232 = stablehlo.add %228, %231 : tensor<6xf32>
    %233 = stablehlo.subtract %232, %219 : tensor<6xf32>
    %234 = stablehlo.exponential %233 : tensor<6xf32>
    %235 = stablehlo.divide %234, %196 : tensor<6xf32>
    %236 = stablehlo.select %221, %226, %235 : tensor<6xi1>, tensor<6xf32>
    %237 = stablehlo.multiply %213#7, %236 : tensor<6xf32>
    %cst_69 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %238 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %239 = stablehlo.subtract %238, %237 : tensor<6xf32>
    %240 = stablehlo.select %195, %237, %239 : tensor<6xi1>, tensor<6xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %241 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %242 = stablehlo.select %171, %241, %240 : tensor<6xi1>, tensor<6xf32>
    %cst_71 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %243 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %244 = stablehlo.select %174, %243, %242 : tensor<6xi1>, tensor<6xf32>
    %cst_72 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %245 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %246 = stablehlo.select %188, %245, %244 : tensor<6xi1>, tensor<6xf32>
    return %73, %146, %246 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
  }
  func.func private @remainder(%arg0: tensor<6xi32>, %arg1: tensor<6xi32>) -> tensor<6xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %3 = call @_where(%1, %2, %arg1) : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<6xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<6xi1>, tensor<6xi1>) -> tensor<6xi1>
    %12 = stablehlo.and %11, %6 : tensor<6xi1>
    %13 = stablehlo.add %4, %3 : tensor<6xi32>
    %14 = stablehlo.select %12, %13, %4 : tensor<6xi1>, tensor<6xi32>
    return %14 : tensor<6xi32>
  }
  func.func private @_where(%arg0: tensor<6xi1>, %arg1: tensor<6xi32>, %arg2: tensor<6xi32>) -> tensor<6xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<6xi1>, tensor<6xi32>
    return %0 : tensor<6xi32>
  }
  func.func private @floor_divide(%arg0: tensor<6xi32>, %arg1: tensor<6xi32>) -> tensor<6xi32> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<6xi32>
    %1 = stablehlo.sign %arg0 : tensor<6xi32>
    %2 = stablehlo.sign %arg1 : tensor<6xi32>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<6xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<6xi1>
    %8 = stablehlo.compare NE, %3, %7, UNSIGNED : (tensor<6xi1>, tensor<6xi1>) -> tensor<6xi1>
    %9 = stablehlo.convert %8 : tensor<6xi1>
    %c_1 = stablehlo.constant dense<false> : tensor<i1>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<6xi1>
    %11 = stablehlo.compare NE, %6, %10, UNSIGNED : (tensor<6xi1>, tensor<6xi1>) -> tensor<6xi1>
    %12 = stablehlo.convert %11 : tensor<6xi1>
    %13 = stablehlo.and %9, %12 : tensor<6xi1>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %15 = stablehlo.subtract %0, %14 : tensor<6xi32>
    %16 = call @_where_0(%13, %15, %0) : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    return %16 : tensor<6xi32>
  }
  func.func private @_where_0(%arg0: tensor<6xi1>, %arg1: tensor<6xi32>, %arg2: tensor<6xi32>) -> tensor<6xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<6xi1>, tensor<6xi32>
    return %0 : tensor<6xi32>
  }
}
