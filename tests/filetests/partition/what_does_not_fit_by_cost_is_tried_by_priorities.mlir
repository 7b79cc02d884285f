// test collectives
// test collectives memory-limit=82000
// test collectives priorities-alone
// What cost decides sends less and needs 85,852 bytes at its peak. Within 82,000 annotations spread by their priorities alone, which
// needs 80,476: that is better than a refusal. A convolutional net, lowered by JAX.
module @jit_small_conv_plane attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<32x16xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<3x3x8x16xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {"y"}]>}, %arg2: tensor<3x3x16x16xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {"y"}]>}, %arg3: tensor<16xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg4: tensor<16xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg5: tensor<1x1x8x16xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {"y"}]>}, %arg6: tensor<3x3x16x32xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {"y"}]>}, %arg7: tensor<3x3x32x32xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {"y"}]>}, %arg8: tensor<32xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg9: tensor<32xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg10: tensor<1x1x16x32xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {"y"}]>}, %arg11: tensor<3x3x3x8xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"x"}]>}, %arg12: tensor<32x16xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg13: tensor<3x3x8x16xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {"y"}]>}, %arg14: tensor<3x3x16x16xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {"y"}]>}, %arg15: tensor<16xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg16: tensor<16xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg17: tensor<1x1x8x16xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {"y"}]>}, %arg18: tensor<3x3x16x32xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {"y"}]>}, %arg19: tensor<3x3x32x32xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {"y"}]>}, %arg20: tensor<32xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg21: tensor<32xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg22: tensor<1x1x16x32xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {"y"}]>}, %arg23: tensor<3x3x3x8xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"x"}]>}, %arg24: tensor<8x16x16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}, {}]>}, %arg25: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<32x16xf32> {jax.result_info = "result[0][0]['head']"}, tensor<3x3x8x16xf32> {jax.result_info = "result[0][0]['stages'][0]['a']"}, tensor<3x3x16x16xf32> {jax.result_info = "result[0][0]['stages'][0]['b']"}, tensor<16xf32> {jax.result_info = "result[0][0]['stages'][0]['bias']"}, tensor<16xf32> {jax.result_info = "result[0][0]['stages'][0]['gain']"}, tensor<1x1x8x16xf32> {jax.result_info = "result[0][0]['stages'][0]['skip']"}, tensor<3x3x16x32xf32> {jax.result_info = "result[0][0]['stages'][1]['a']"}, tensor<3x3x32x32xf32> {jax.result_info = "result[0][0]['stages'][1]['b']"}, tensor<32xf32> {jax.result_info = "result[0][0]['stages'][1]['bias']"}, tensor<32xf32> {jax.result_info = "result[0][0]['stages'][1]['gain']"}, tensor<1x1x16x32xf32> {jax.result_info = "result[0][0]['stages'][1]['skip']"}, tensor<3x3x3x8xf32> {jax.result_info = "result[0][0]['stem']"}, tensor<32x16xf32> {jax.result_info = "result[0][1]['head']"}, tensor<3x3x8x16xf32> {jax.result_info = "result[0][1]['stages'][0]['a']"}, tensor<3x3x16x16xf32> {jax.result_info = "result[0][1]['stages'][0]['b']"}, tensor<16xf32> {jax.result_info = "result[0][1]['stages'][0]['bias']"}, tensor<16xf32> {jax.result_info = "result[0][1]['stages'][0]['gain']"}, tensor<1x1x8x16xf32> {jax.result_info = "result[0][1]['stages'][0]['skip']"}, tensor<3x3x16x32xf32> {jax.result_info = "result[0][1]['stages'][1]['a']"}, tensor<3x3x32x32xf32> {jax.result_info = "result[0][1]['stages'][1]['b']"}, tensor<32xf32> {jax.result_info = "result[0][1]['stages'][1]['bias']"}, tensor<32xf32> {jax.result_info = "result[0][1]['stages'][1]['gain']"}, tensor<1x1x16x32xf32> {jax.result_info = "result[0][1]['stages'][1]['skip']"}, tensor<3x3x3x8xf32> {jax.result_info = "result[0][1]['stem']"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convolution(%arg24, %arg11) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<8x16x16x8xf32>
    %1 = call @relu(%0) : (tensor<8x16x16x8xf32>) -> tensor<8x16x16x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x16x8xf32>
    %3 = stablehlo.compare GT, %0, %2, FLOAT : (tensor<8x16x16x8xf32>, tensor<8x16x16x8xf32>) -> tensor<8x16x16x8xi1>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<f32>
    %5 = "stablehlo.reduce_window"(%1, %4) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg26: tensor<f32>, %arg27: tensor<f32>):
      %279 = stablehlo.maximum %arg26, %arg27 : tensor<f32>
      stablehlo.return %279 : tensor<f32>
    }) : (tensor<8x16x16x8xf32>, tensor<f32>) -> tensor<8x8x8x8xf32>
    %6 = stablehlo.convolution(%5, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8x8xf32>, tensor<3x3x8x16xf32>) -> tensor<8x4x4x16xf32>
    %7 = call @relu_0(%6) : (tensor<8x4x4x16xf32>) -> tensor<8x4x4x16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x4x4x16xf32>
    %9 = stablehlo.compare GT, %6, %8, FLOAT : (tensor<8x4x4x16xf32>, tensor<8x4x4x16xf32>) -> tensor<8x4x4x16xi1>
    %10 = stablehlo.convolution(%7, %arg2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x4x16xf32>, tensor<3x3x16x16xf32>) -> tensor<8x4x4x16xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_2) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x4x16xf32>, tensor<f32>) -> tensor<16xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [3] : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %cst_3 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1x1x1x16xf32>
    %14 = stablehlo.divide %12, %13 : tensor<1x1x1x16xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<8x4x4x16xf32>
    %16 = stablehlo.subtract %10, %15 : tensor<8x4x4x16xf32>
    %17 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<8x4x4x16xf32>
    %18 = stablehlo.subtract %10, %17 : tensor<8x4x4x16xf32>
    %19 = chlo.square %18 : tensor<8x4x4x16xf32> -> tensor<8x4x4x16xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x4x4x16xf32>
    %21 = stablehlo.multiply %20, %18 : tensor<8x4x4x16xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.reduce(%19 init: %cst_5) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x4x16xf32>, tensor<f32>) -> tensor<16xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [3] : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %cst_6 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<1x1x1x16xf32>
    %25 = stablehlo.divide %23, %24 : tensor<1x1x1x16xf32>
    %cst_7 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<1x1x1x16xf32>
    %27 = stablehlo.add %25, %26 : tensor<1x1x1x16xf32>
    %28 = stablehlo.rsqrt %27 : tensor<1x1x1x16xf32>
    %29 = stablehlo.divide %28, %27 : tensor<1x1x1x16xf32>
    %cst_8 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<1x1x1x16xf32>
    %31 = stablehlo.multiply %30, %29 : tensor<1x1x1x16xf32>
    %32 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<8x4x4x16xf32>
    %33 = stablehlo.multiply %16, %32 : tensor<8x4x4x16xf32>
    %34 = stablehlo.broadcast_in_dim %arg4, dims = [3] : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<8x4x4x16xf32>
    %36 = stablehlo.multiply %33, %35 : tensor<8x4x4x16xf32>
    %37 = stablehlo.broadcast_in_dim %arg3, dims = [3] : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<8x4x4x16xf32>
    %39 = stablehlo.add %36, %38 : tensor<8x4x4x16xf32>
    %40 = stablehlo.convolution(%5, %arg5) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8x8xf32>, tensor<1x1x8x16xf32>) -> tensor<8x4x4x16xf32>
    %41 = stablehlo.add %39, %40 : tensor<8x4x4x16xf32>
    %42 = call @relu_0(%41) : (tensor<8x4x4x16xf32>) -> tensor<8x4x4x16xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x4x4x16xf32>
    %44 = stablehlo.compare GT, %41, %43, FLOAT : (tensor<8x4x4x16xf32>, tensor<8x4x4x16xf32>) -> tensor<8x4x4x16xi1>
    %45 = stablehlo.convolution(%42, %arg6) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x4x16xf32>, tensor<3x3x16x32xf32>) -> tensor<8x2x2x32xf32>
    %46 = call @relu_1(%45) : (tensor<8x2x2x32xf32>) -> tensor<8x2x2x32xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x2x2x32xf32>
    %48 = stablehlo.compare GT, %45, %47, FLOAT : (tensor<8x2x2x32xf32>, tensor<8x2x2x32xf32>) -> tensor<8x2x2x32xi1>
    %49 = stablehlo.convolution(%46, %arg7) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x2x2x32xf32>, tensor<3x3x32x32xf32>) -> tensor<8x2x2x32xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%49 init: %cst_11) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x2x2x32xf32>, tensor<f32>) -> tensor<32xf32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [3] : (tensor<32xf32>) -> tensor<1x1x1x32xf32>
    %cst_12 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<1x1x1x32xf32>
    %53 = stablehlo.divide %51, %52 : tensor<1x1x1x32xf32>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2, 3] : (tensor<1x1x1x32xf32>) -> tensor<8x2x2x32xf32>
    %55 = stablehlo.subtract %49, %54 : tensor<8x2x2x32xf32>
    %56 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2, 3] : (tensor<1x1x1x32xf32>) -> tensor<8x2x2x32xf32>
    %57 = stablehlo.subtract %49, %56 : tensor<8x2x2x32xf32>
    %58 = chlo.square %57 : tensor<8x2x2x32xf32> -> tensor<8x2x2x32xf32>
    %cst_13 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x2x2x32xf32>
    %60 = stablehlo.multiply %59, %57 : tensor<8x2x2x32xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %61 = stablehlo.reduce(%58 init: %cst_14) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x2x2x32xf32>, tensor<f32>) -> tensor<32xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [3] : (tensor<32xf32>) -> tensor<1x1x1x32xf32>
    %cst_15 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<1x1x1x32xf32>
    %64 = stablehlo.divide %62, %63 : tensor<1x1x1x32xf32>
    %cst_16 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<1x1x1x32xf32>
    %66 = stablehlo.add %64, %65 : tensor<1x1x1x32xf32>
    %67 = stablehlo.rsqrt %66 : tensor<1x1x1x32xf32>
    %68 = stablehlo.divide %67, %66 : tensor<1x1x1x32xf32>
    %cst_17 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<1x1x1x32xf32>
    %70 = stablehlo.multiply %69, %68 : tensor<1x1x1x32xf32>
    %71 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2, 3] : (tensor<1x1x1x32xf32>) -> tensor<8x2x2x32xf32>
    %72 = stablehlo.multiply %55, %71 : tensor<8x2x2x32xf32>
    %73 = stablehlo.broadcast_in_dim %arg9, dims = [3] : (tensor<32xf32>) -> tensor<1x1x1x32xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2, 3] : (tensor<1x1x1x32xf32>) -> tensor<8x2x2x32xf32>
    %75 = stablehlo.multiply %72, %74 : tensor<8x2x2x32xf32>
    %76 = stablehlo.broadcast_in_dim %arg8, dims = [3] : (tensor<32xf32>) -> tensor<1x1x1x32xf32>
    %77 = stablehlo.broadcast_in_dim %76, dims = [0, 1, 2, 3] : (tensor<1x1x1x32xf32>) -> tensor<8x2x2x32xf32>
    %78 = stablehlo.add %75, %77 : tensor<8x2x2x32xf32>
    %79 = stablehlo.convolution(%42, %arg10) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x4x16xf32>, tensor<1x1x16x32xf32>) -> tensor<8x2x2x32xf32>
    %80 = stablehlo.add %78, %79 : tensor<8x2x2x32xf32>
    %81 = call @relu_1(%80) : (tensor<8x2x2x32xf32>) -> tensor<8x2x2x32xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<8x2x2x32xf32>
    %83 = stablehlo.compare GT, %80, %82, FLOAT : (tensor<8x2x2x32xf32>, tensor<8x2x2x32xf32>) -> tensor<8x2x2x32xi1>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.reduce(%81 init: %cst_19) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x2x2x32xf32>, tensor<f32>) -> tensor<8x32xf32>
    %cst_20 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %86 = stablehlo.divide %84, %85 : tensor<8x32xf32>
    %87 = stablehlo.dot_general %86, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
    %88:3 = call @log_softmax(%87) : (tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x1xf32>)
    %89 = call @_one_hot(%arg25) : (tensor<8xi32>) -> tensor<8x16xf32>
    %90 = stablehlo.multiply %88#0, %89 : tensor<8x16xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %91 = stablehlo.reduce(%90 init: %cst_21) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %92 = stablehlo.reduce(%91 init: %cst_22) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %cst_23 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %93 = stablehlo.divide %92, %cst_23 : tensor<f32>
    %94 = stablehlo.negate %93 : tensor<f32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %95 = stablehlo.negate %cst_24 : tensor<f32>
    %cst_25 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %96 = stablehlo.divide %95, %cst_25 : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %96, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %98 = stablehlo.broadcast_in_dim %97, dims = [0] : (tensor<8xf32>) -> tensor<8x16xf32>
    %99 = stablehlo.multiply %98, %89 : tensor<8x16xf32>
    %100 = call @log_softmax_2(%88#1, %88#2, %99) : (tensor<8x16xf32>, tensor<8x1xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %101 = stablehlo.dot_general %100, %86, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
    %102 = stablehlo.transpose %101, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
    %103 = stablehlo.dot_general %100, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
    %cst_26 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %105 = stablehlo.divide %103, %104 : tensor<8x32xf32>
    %106 = stablehlo.broadcast_in_dim %105, dims = [0, 3] : (tensor<8x32xf32>) -> tensor<8x2x2x32xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8x2x2x32xf32>
    %108 = stablehlo.select %83, %106, %107 : tensor<8x2x2x32xi1>, tensor<8x2x2x32xf32>
    %109 = stablehlo.convolution(%42, %108) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, -1], [0, -1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x4x16xf32>, tensor<8x2x2x32xf32>) -> tensor<1x1x16x32xf32>
    %110 = stablehlo.reverse %arg10, dims = [0, 1] : tensor<1x1x16x32xf32>
    %111 = stablehlo.convolution(%108, %110) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x2x2x32xf32>, tensor<1x1x16x32xf32>) -> tensor<8x4x4x16xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %112 = stablehlo.reduce(%108 init: %cst_28) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x2x2x32xf32>, tensor<f32>) -> tensor<32xf32>
    %113 = stablehlo.reshape %112 : (tensor<32xf32>) -> tensor<1x1x1x32xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %114 = stablehlo.reduce(%113 init: %cst_29) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %115 = stablehlo.multiply %72, %108 : tensor<8x2x2x32xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %116 = stablehlo.reduce(%115 init: %cst_30) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x2x2x32xf32>, tensor<f32>) -> tensor<32xf32>
    %117 = stablehlo.reshape %116 : (tensor<32xf32>) -> tensor<1x1x1x32xf32>
    %118 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2, 3] : (tensor<1x1x1x32xf32>) -> tensor<8x2x2x32xf32>
    %119 = stablehlo.multiply %108, %118 : tensor<8x2x2x32xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %120 = stablehlo.reduce(%117 init: %cst_31) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %121 = stablehlo.multiply %55, %119 : tensor<8x2x2x32xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %122 = stablehlo.reduce(%121 init: %cst_32) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x2x2x32xf32>, tensor<f32>) -> tensor<32xf32>
    %123 = stablehlo.reshape %122 : (tensor<32xf32>) -> tensor<1x1x1x32xf32>
    %124 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2, 3] : (tensor<1x1x1x32xf32>) -> tensor<8x2x2x32xf32>
    %125 = stablehlo.multiply %119, %124 : tensor<8x2x2x32xf32>
    %126 = stablehlo.multiply %123, %70 : tensor<1x1x1x32xf32>
    %cst_33 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %127 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<1x1x1x32xf32>
    %128 = stablehlo.divide %126, %127 : tensor<1x1x1x32xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %129 = stablehlo.reduce(%128 init: %cst_34) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %130 = stablehlo.broadcast_in_dim %129, dims = [3] : (tensor<32xf32>) -> tensor<8x2x2x32xf32>
    %131 = stablehlo.multiply %130, %60 : tensor<8x2x2x32xf32>
    %132 = stablehlo.negate %131 : tensor<8x2x2x32xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %133 = stablehlo.reduce(%132 init: %cst_35) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x2x2x32xf32>, tensor<f32>) -> tensor<32xf32>
    %134 = stablehlo.reshape %133 : (tensor<32xf32>) -> tensor<1x1x1x32xf32>
    %135 = stablehlo.negate %125 : tensor<8x2x2x32xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %136 = stablehlo.reduce(%135 init: %cst_36) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x2x2x32xf32>, tensor<f32>) -> tensor<32xf32>
    %137 = stablehlo.reshape %136 : (tensor<32xf32>) -> tensor<1x1x1x32xf32>
    %138 = stablehlo.add %131, %125 : tensor<8x2x2x32xf32>
    %139 = stablehlo.add %134, %137 : tensor<1x1x1x32xf32>
    %cst_37 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<1x1x1x32xf32>
    %141 = stablehlo.divide %139, %140 : tensor<1x1x1x32xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %142 = stablehlo.reduce(%141 init: %cst_38) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %143 = stablehlo.broadcast_in_dim %142, dims = [3] : (tensor<32xf32>) -> tensor<8x2x2x32xf32>
    %144 = stablehlo.add %138, %143 : tensor<8x2x2x32xf32>
    %145 = stablehlo.convolution(%46, %144) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x2x2x32xf32>, tensor<8x2x2x32xf32>) -> tensor<3x3x32x32xf32>
    %146 = stablehlo.reverse %arg7, dims = [0, 1] : tensor<3x3x32x32xf32>
    %147 = stablehlo.convolution(%144, %146) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x2x2x32xf32>, tensor<3x3x32x32xf32>) -> tensor<8x2x2x32xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<8x2x2x32xf32>
    %149 = stablehlo.select %48, %147, %148 : tensor<8x2x2x32xi1>, tensor<8x2x2x32xf32>
    %150 = stablehlo.convolution(%42, %149) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x4x16xf32>, tensor<8x2x2x32xf32>) -> tensor<3x3x16x32xf32>
    %151 = stablehlo.reverse %arg6, dims = [0, 1] : tensor<3x3x16x32xf32>
    %152 = stablehlo.convolution(%149, %151) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x2x2x32xf32>, tensor<3x3x16x32xf32>) -> tensor<8x4x4x16xf32>
    %153 = stablehlo.add %111, %152 : tensor<8x4x4x16xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %154 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<8x4x4x16xf32>
    %155 = stablehlo.select %44, %153, %154 : tensor<8x4x4x16xi1>, tensor<8x4x4x16xf32>
    %156 = stablehlo.convolution(%5, %155) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, -1], [0, -1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8x8xf32>, tensor<8x4x4x16xf32>) -> tensor<1x1x8x16xf32>
    %157 = stablehlo.reverse %arg5, dims = [0, 1] : tensor<1x1x8x16xf32>
    %158 = stablehlo.convolution(%155, %157) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x4x16xf32>, tensor<1x1x8x16xf32>) -> tensor<8x8x8x8xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %159 = stablehlo.reduce(%155 init: %cst_41) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x4x16xf32>, tensor<f32>) -> tensor<16xf32>
    %160 = stablehlo.reshape %159 : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %161 = stablehlo.reduce(%160 init: %cst_42) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %162 = stablehlo.multiply %33, %155 : tensor<8x4x4x16xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %163 = stablehlo.reduce(%162 init: %cst_43) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x4x16xf32>, tensor<f32>) -> tensor<16xf32>
    %164 = stablehlo.reshape %163 : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %165 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<8x4x4x16xf32>
    %166 = stablehlo.multiply %155, %165 : tensor<8x4x4x16xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %167 = stablehlo.reduce(%164 init: %cst_44) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %168 = stablehlo.multiply %16, %166 : tensor<8x4x4x16xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %169 = stablehlo.reduce(%168 init: %cst_45) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x4x16xf32>, tensor<f32>) -> tensor<16xf32>
    %170 = stablehlo.reshape %169 : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %171 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<8x4x4x16xf32>
    %172 = stablehlo.multiply %166, %171 : tensor<8x4x4x16xf32>
    %173 = stablehlo.multiply %170, %31 : tensor<1x1x1x16xf32>
    %cst_46 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<1x1x1x16xf32>
    %175 = stablehlo.divide %173, %174 : tensor<1x1x1x16xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %176 = stablehlo.reduce(%175 init: %cst_47) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %177 = stablehlo.broadcast_in_dim %176, dims = [3] : (tensor<16xf32>) -> tensor<8x4x4x16xf32>
    %178 = stablehlo.multiply %177, %21 : tensor<8x4x4x16xf32>
    %179 = stablehlo.negate %178 : tensor<8x4x4x16xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %180 = stablehlo.reduce(%179 init: %cst_48) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x4x16xf32>, tensor<f32>) -> tensor<16xf32>
    %181 = stablehlo.reshape %180 : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %182 = stablehlo.negate %172 : tensor<8x4x4x16xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %183 = stablehlo.reduce(%182 init: %cst_49) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x4x16xf32>, tensor<f32>) -> tensor<16xf32>
    %184 = stablehlo.reshape %183 : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %185 = stablehlo.add %178, %172 : tensor<8x4x4x16xf32>
    %186 = stablehlo.add %181, %184 : tensor<1x1x1x16xf32>
    %cst_50 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %187 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<1x1x1x16xf32>
    %188 = stablehlo.divide %186, %187 : tensor<1x1x1x16xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %189 = stablehlo.reduce(%188 init: %cst_51) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %190 = stablehlo.broadcast_in_dim %189, dims = [3] : (tensor<16xf32>) -> tensor<8x4x4x16xf32>
    %191 = stablehlo.add %185, %190 : tensor<8x4x4x16xf32>
    %192 = stablehlo.convolution(%7, %191) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x4x16xf32>, tensor<8x4x4x16xf32>) -> tensor<3x3x16x16xf32>
    %193 = stablehlo.reverse %arg2, dims = [0, 1] : tensor<3x3x16x16xf32>
    %194 = stablehlo.convolution(%191, %193) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x4x16xf32>, tensor<3x3x16x16xf32>) -> tensor<8x4x4x16xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %195 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<8x4x4x16xf32>
    %196 = stablehlo.select %9, %194, %195 : tensor<8x4x4x16xi1>, tensor<8x4x4x16xf32>
    %197 = stablehlo.convolution(%5, %196) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8x8xf32>, tensor<8x4x4x16xf32>) -> tensor<3x3x8x16xf32>
    %198 = stablehlo.reverse %arg1, dims = [0, 1] : tensor<3x3x8x16xf32>
    %199 = stablehlo.convolution(%196, %198) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x4x16xf32>, tensor<3x3x8x16xf32>) -> tensor<8x8x8x8xf32>
    %200 = stablehlo.add %158, %199 : tensor<8x8x8x8xf32>
    %cst_53 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %201 = stablehlo.pad %1, %cst_53, low = [0, 0, 0, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<8x16x16x8xf32>, tensor<f32>) -> tensor<8x17x17x8xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %202 = "stablehlo.select_and_scatter"(%201, %200, %cst_54) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg26: tensor<f32>, %arg27: tensor<f32>):
      %279 = stablehlo.compare GE, %arg26, %arg27, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %279 : tensor<i1>
    }, {
    ^bb0(%arg26: tensor<f32>, %arg27: tensor<f32>):
      %279 = stablehlo.add %arg26, %arg27 : tensor<f32>
      stablehlo.return %279 : tensor<f32>
    }) : (tensor<8x17x17x8xf32>, tensor<8x8x8x8xf32>, tensor<f32>) -> tensor<8x17x17x8xf32>
    %203 = stablehlo.slice %202 [0:8, 0:16, 0:16, 0:8] : (tensor<8x17x17x8xf32>) -> tensor<8x16x16x8xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %204 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<8x16x16x8xf32>
    %205 = stablehlo.select %3, %203, %204 : tensor<8x16x16x8xi1>, tensor<8x16x16x8xf32>
    %206 = stablehlo.convolution(%arg24, %205) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x16x16x3xf32>, tensor<8x16x16x8xf32>) -> tensor<3x3x3x8xf32>
    %cst_56 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %207 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %208 = stablehlo.multiply %207, %arg12 : tensor<32x16xf32>
    %209 = stablehlo.add %208, %102 : tensor<32x16xf32>
    %cst_57 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %210 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<3x3x8x16xf32>
    %211 = stablehlo.multiply %210, %arg13 : tensor<3x3x8x16xf32>
    %212 = stablehlo.add %211, %197 : tensor<3x3x8x16xf32>
    %cst_58 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %213 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<3x3x16x16xf32>
    %214 = stablehlo.multiply %213, %arg14 : tensor<3x3x16x16xf32>
    %215 = stablehlo.add %214, %192 : tensor<3x3x16x16xf32>
    %cst_59 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %216 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %217 = stablehlo.multiply %216, %arg15 : tensor<16xf32>
    %218 = stablehlo.add %217, %161 : tensor<16xf32>
    %cst_60 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %219 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %220 = stablehlo.multiply %219, %arg16 : tensor<16xf32>
    %221 = stablehlo.add %220, %167 : tensor<16xf32>
    %cst_61 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %222 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<1x1x8x16xf32>
    %223 = stablehlo.multiply %222, %arg17 : tensor<1x1x8x16xf32>
    %224 = stablehlo.add %223, %156 : tensor<1x1x8x16xf32>
    %cst_62 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %225 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<3x3x16x32xf32>
    %226 = stablehlo.multiply %225, %arg18 : tensor<3x3x16x32xf32>
    %227 = stablehlo.add %226, %150 : tensor<3x3x16x32xf32>
    %cst_63 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %228 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<3x3x32x32xf32>
    %229 = stablehlo.multiply %228, %arg19 : tensor<3x3x32x32xf32>
    %230 = stablehlo.add %229, %145 : tensor<3x3x32x32xf32>
    %cst_64 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %231 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %232 = stablehlo.multiply %231, %arg20 : tensor<32xf32>
    %233 = stablehlo.add %232, %114 : tensor<32xf32>
    %cst_65 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %234 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %235 = stablehlo.multiply %234, %arg21 : tensor<32xf32>
    %236 = stablehlo.add %235, %120 : tensor<32xf32>
    %cst_66 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %237 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<1x1x16x32xf32>
    %238 = stablehlo.multiply %237, %arg22 : tensor<1x1x16x32xf32>
    %239 = stablehlo.add %238, %109 : tensor<1x1x16x32xf32>
    %cst_67 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %240 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<3x3x3x8xf32>
    %241 = stablehlo.multiply %240, %arg23 : tensor<3x3x3x8xf32>
    %242 = stablehlo.add %241, %206 : tensor<3x3x3x8xf32>
    %cst_68 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %243 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %244 = stablehlo.multiply %243, %209 : tensor<32x16xf32>
    %245 = stablehlo.subtract %arg0, %244 : tensor<32x16xf32>
    %cst_69 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %246 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<3x3x8x16xf32>
    %247 = stablehlo.multiply %246, %212 : tensor<3x3x8x16xf32>
    %248 = stablehlo.subtract %arg1, %247 : tensor<3x3x8x16xf32>
    %cst_70 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %249 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<3x3x16x16xf32>
    %250 = stablehlo.multiply %249, %215 : tensor<3x3x16x16xf32>
    %251 = stablehlo.subtract %arg2, %250 : tensor<3x3x16x16xf32>
    %cst_71 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %252 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %253 = stablehlo.multiply %252, %218 : tensor<16xf32>
    %254 = stablehlo.subtract %arg3, %253 : tensor<16xf32>
    %cst_72 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %255 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %256 = stablehlo.multiply %255, %221 : tensor<16xf32>
    %257 = stablehlo.subtract %arg4, %256 : tensor<16xf32>
    %cst_73 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %258 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<1x1x8x16xf32>
    %259 = stablehlo.multiply %258, %224 : tensor<1x1x8x16xf32>
    %260 = stablehlo.subtract %arg5, %259 : tensor<1x1x8x16xf32>
    %cst_74 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %261 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<3x3x16x32xf32>
    %262 = stablehlo.multiply %261, %227 : tensor<3x3x16x32xf32>
    %263 = stablehlo.subtract %arg6, %262 : tensor<3x3x16x32xf32>
    %cst_75 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %264 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<3x3x32x32xf32>
    %265 = stablehlo.multiply %264, %230 : tensor<3x3x32x32xf32>
    %266 = stablehlo.subtract %arg7, %265 : tensor<3x3x32x32xf32>
    %cst_76 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %267 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %268 = stablehlo.multiply %267, %233 : tensor<32xf32>
    %269 = stablehlo.subtract %arg8, %268 : tensor<32xf32>
    %cst_77 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %270 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %271 = stablehlo.multiply %270, %236 : tensor<32xf32>
    %272 = stablehlo.subtract %arg9, %271 : tensor<32xf32>
    %cst_78 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %273 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<1x1x16x32xf32>
    %274 = stablehlo.multiply %273, %239 : tensor<1x1x16x32xf32>
    %275 = stablehlo.subtract %arg10, %274 : tensor<1x1x16x32xf32>
    %cst_79 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %276 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<3x3x3x8xf32>
    %277 = stablehlo.multiply %276, %242 : tensor<3x3x3x8xf32>
    %278 = stablehlo.subtract %arg11, %277 : tensor<3x3x3x8xf32>
    return %245, %248, %251, %254, %257, %260, %263, %266, %269, %272, %275, %278, %209, %212, %215, %218, %221, %224, %227, %230, %233, %236, %239, %242, %94 : tensor<32x16xf32>, tensor<3x3x8x16xf32>, tensor<3x3x16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x1x8x16xf32>, tensor<3x3x16x32xf32>, tensor<3x3x32x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<1x1x16x32xf32>, tensor<3x3x3x8xf32>, tensor<32x16xf32>, tensor<3x3x8x16xf32>, tensor<3x3x16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x1x8x16xf32>, tensor<3x3x16x32xf32>, tensor<3x3x32x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<1x1x16x32xf32>, tensor<3x3x3x8xf32>, tensor<f32>
  }
  func.func private @relu(%arg0: tensor<8x16x16x8xf32>) -> tensor<8x16x16x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x16x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<8x16x16x8xf32>
    return %1 : tensor<8x16x16x8xf32>
  }
  func.func private @relu_0(%arg0: tensor<8x4x4x16xf32>) -> tensor<8x4x4x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x4x16xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<8x4x4x16xf32>
    return %1 : tensor<8x4x4x16xf32>
  }
  func.func private @relu_1(%arg0: tensor<8x2x2x32xf32>) -> tensor<8x2x2x32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x2x2x32xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<8x2x2x32xf32>
    return %1 : tensor<8x2x2x32xf32>
  }
  func.func private @log_softmax(%arg0: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<8xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x16xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x16xf32>
    %6 = stablehlo.exponential %5 : tensor<8x16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %9 = stablehlo.log %8 : tensor<8x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x16xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<8x16xf32>
    return %11, %6, %8 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x1xf32>
  }
  func.func private @_one_hot(%arg0: tensor<8xi32>) -> tensor<8x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<1x16xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<8x1xi32>) -> tensor<8x16xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x16xi32>) -> tensor<8x16xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi1>
    %5 = stablehlo.convert %4 : (tensor<8x16xi1>) -> tensor<8x16xf32>
    return %5 : tensor<8x16xf32>
  }
  func.func private @log_softmax_2(%arg0: tensor<8x16xf32>, %arg1: tensor<8x1xf32>, %arg2: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = stablehlo.negate %arg2 : tensor<8x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.reshape %1 : (tensor<8xf32>) -> tensor<8x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<8x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<8x1xf32>, tensor<f32>) -> tensor<8xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<8xf32>) -> tensor<8x16xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<8x16xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<8x16xf32>
    return %7 : tensor<8x16xf32>
  }
}
//| --- collectives
//| 4 all-gather over {"x":(2)2}: 96 bytes
//| 8 all-gather over {"x"}: 10056 bytes
//| 4 all-gather over {"y"}: 2688 bytes
//| 1 all-reduce over {"x", "y"}: 7 bytes
//| 8 all-reduce over {"x"}: 864 bytes
//| 4 all-reduce over {"y"}: 4120 bytes
//| 8 reduce-scatter over {"x"}: 10056 bytes
//| 4 reduce-scatter over {"y"}: 2688 bytes
//| 6 all-to-all over {"x"}: 4992 bytes
//| 8 permute: 192 bytes
//| 1379328 flops in contractions
//| --- collectives memory-limit=82000
//| 4 all-gather over {"x":(2)2}: 96 bytes
//| 8 all-gather over {"x"}: 13896 bytes
//| 5 all-gather over {"y"}: 2688 bytes
//| 1 all-reduce over {"x", "y"}: 7 bytes
//| 9 all-reduce over {"x"}: 3888 bytes
//| 5 all-reduce over {"y"}: 4136 bytes
//| 7 reduce-scatter over {"x"}: 12360 bytes
//| 4 reduce-scatter over {"y"}: 2688 bytes
//| 10 all-to-all over {"x"}: 31872 bytes
//| 10 permute: 2736 bytes
//| 1379328 flops in contractions
//| --- collectives priorities-alone
//| 4 all-gather over {"x":(2)2}: 96 bytes
//| 8 all-gather over {"x"}: 13896 bytes
//| 5 all-gather over {"y"}: 2688 bytes
//| 1 all-reduce over {"x", "y"}: 7 bytes
//| 9 all-reduce over {"x"}: 3888 bytes
//| 5 all-reduce over {"y"}: 4136 bytes
//| 7 reduce-scatter over {"x"}: 12360 bytes
//| 4 reduce-scatter over {"y"}: 2688 bytes
//| 10 all-to-all over {"x"}: 31872 bytes
//| 10 permute: 2736 bytes
//| 1379328 flops in contractions
