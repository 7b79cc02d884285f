// test complete values
// GSPMD figure 2: an encoder with experts and a decoder, each a pipeline whose stages are a leading dim (vmap in a scan).
// On a 4x4 mesh `x` is the batch of embedding and softmax, and the stages in between; `y` is the vocabulary there, and the
// batch, the hidden layer or the experts inside. Lowered by JAX.
module @jit_model attributes {mhlo.num_partitions = 16 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg1: tensor<4x16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>}, %arg2: tensor<4x32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}, %arg3: tensor<4x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg4: tensor<4x4x16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}, {}]>}, %arg5: tensor<4x4x32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}, {}]>}, %arg6: tensor<4x16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>}, %arg7: tensor<4x32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}, %arg8: tensor<16x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = sdy.sharding_constraint %arg8 <@mesh, [{"x"}, {}]> : tensor<16x8xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16x8xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<16x8xi32>, tensor<16x8xi32>) -> tensor<16x8xi1>
    %c_0 = stablehlo.constant dense<64> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<16x8xi32>
    %4 = stablehlo.add %0, %3 : tensor<16x8xi32>
    %5 = stablehlo.select %2, %4, %0 : tensor<16x8xi1>, tensor<16x8xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<16x8xi32>) -> tensor<16x8x1xi32>
    %7 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<64x16xf32>, tensor<16x8x1xi32>) -> tensor<16x8x16xf32>
    %8 = sdy.sharding_constraint %7 <@mesh, [{"x"}, {?}, {?}]> : tensor<16x8x16xf32>
    %9 = stablehlo.reshape %8 : (tensor<16x8x16xf32>) -> tensor<4x4x8x16xf32>
    %10 = sdy.sharding_constraint %9 <@mesh, [{}, {"y"}, {?}, {?}]> : tensor<4x4x8x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4x8x16xf32>
    %12 = sdy.sharding_constraint %11 <@mesh, [{"x"}, {?}, {?}, {?}]> : tensor<4x4x8x16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x4x8x16xf32>
    %14 = stablehlo.concatenate %10, %13, dim = 0 : (tensor<4x4x8x16xf32>, tensor<3x4x8x16xf32>) -> tensor<7x4x8x16xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<7x4x8x16xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %16:9 = stablehlo.while(%iterArg = %14, %iterArg_14 = %arg1, %iterArg_15 = %arg2, %iterArg_16 = %arg3, %iterArg_17 = %arg4, %iterArg_18 = %arg5, %iterArg_19 = %c_3, %iterArg_20 = %12, %iterArg_21 = %15) : tensor<7x4x8x16xf32>, tensor<4x16x32xf32>, tensor<4x32x16xf32>, tensor<4x16x4xf32>, tensor<4x4x16x32xf32>, tensor<4x4x32x16xf32>, tensor<i32>, tensor<4x4x8x16xf32>, tensor<7x4x8x16xf32>
    cond {
      %c_22 = stablehlo.constant dense<7> : tensor<i32>
      %46 = stablehlo.compare LT, %iterArg_19, %c_22, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %46 : tensor<i1>
    } do {
      %46 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_19) : (tensor<7x4x8x16xf32>, tensor<i32>) -> tensor<4x8x16xf32>
      %47:2 = func.call @closed_call(%iterArg_14, %iterArg_15, %iterArg_16, %iterArg_17, %iterArg_18, %iterArg_20, %46) : (tensor<4x16x32xf32>, tensor<4x32x16xf32>, tensor<4x16x4xf32>, tensor<4x4x16x32xf32>, tensor<4x4x32x16xf32>, tensor<4x4x8x16xf32>, tensor<4x8x16xf32>) -> (tensor<4x4x8x16xf32>, tensor<4x8x16xf32>)
      %48 = func.call @dynamic_update_index_in_dim(%iterArg_21, %47#1, %iterArg_19) : (tensor<7x4x8x16xf32>, tensor<4x8x16xf32>, tensor<i32>) -> tensor<7x4x8x16xf32>
      %c_22 = stablehlo.constant dense<1> : tensor<i32>
      %49 = stablehlo.add %iterArg_19, %c_22 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_14, %iterArg_15, %iterArg_16, %iterArg_17, %iterArg_18, %49, %47#0, %48 : tensor<7x4x8x16xf32>, tensor<4x16x32xf32>, tensor<4x32x16xf32>, tensor<4x16x4xf32>, tensor<4x4x16x32xf32>, tensor<4x4x32x16xf32>, tensor<i32>, tensor<4x4x8x16xf32>, tensor<7x4x8x16xf32>
    }
    %17 = stablehlo.slice %16#8 [3:7, 0:4, 0:8, 0:16] : (tensor<7x4x8x16xf32>) -> tensor<4x4x8x16xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x4x8x16xf32>
    %19 = sdy.sharding_constraint %18 <@mesh, [{"x"}, {?}, {?}, {?}]> : tensor<4x4x8x16xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3x4x8x16xf32>
    %21 = stablehlo.concatenate %17, %20, dim = 0 : (tensor<4x4x8x16xf32>, tensor<3x4x8x16xf32>) -> tensor<7x4x8x16xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<7x4x8x16xf32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %23:6 = stablehlo.while(%iterArg = %21, %iterArg_14 = %arg6, %iterArg_15 = %arg7, %iterArg_16 = %c_7, %iterArg_17 = %19, %iterArg_18 = %22) : tensor<7x4x8x16xf32>, tensor<4x16x32xf32>, tensor<4x32x16xf32>, tensor<i32>, tensor<4x4x8x16xf32>, tensor<7x4x8x16xf32>
    cond {
      %c_19 = stablehlo.constant dense<7> : tensor<i32>
      %46 = stablehlo.compare LT, %iterArg_16, %c_19, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %46 : tensor<i1>
    } do {
      %46 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_16) : (tensor<7x4x8x16xf32>, tensor<i32>) -> tensor<4x8x16xf32>
      %47:2 = func.call @closed_call_1(%iterArg_14, %iterArg_15, %iterArg_17, %46) : (tensor<4x16x32xf32>, tensor<4x32x16xf32>, tensor<4x4x8x16xf32>, tensor<4x8x16xf32>) -> (tensor<4x4x8x16xf32>, tensor<4x8x16xf32>)
      %48 = func.call @dynamic_update_index_in_dim(%iterArg_18, %47#1, %iterArg_16) : (tensor<7x4x8x16xf32>, tensor<4x8x16xf32>, tensor<i32>) -> tensor<7x4x8x16xf32>
      %c_19 = stablehlo.constant dense<1> : tensor<i32>
      %49 = stablehlo.add %iterArg_16, %c_19 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_14, %iterArg_15, %49, %47#0, %48 : tensor<7x4x8x16xf32>, tensor<4x16x32xf32>, tensor<4x32x16xf32>, tensor<i32>, tensor<4x4x8x16xf32>, tensor<7x4x8x16xf32>
    }
    %24 = stablehlo.slice %23#5 [3:7, 0:4, 0:8, 0:16] : (tensor<7x4x8x16xf32>) -> tensor<4x4x8x16xf32>
    %25 = stablehlo.reshape %24 : (tensor<4x4x8x16xf32>) -> tensor<16x8x16xf32>
    %26 = sdy.sharding_constraint %25 <@mesh, [{"x"}, {?}, {?}]> : tensor<16x8x16xf32>
    %27 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<64x16xf32>) -> tensor<16x64xf32>
    %28 = stablehlo.dot_general %26, %27, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8x16xf32>, tensor<16x64xf32>) -> tensor<16x8x64xf32>
    %29 = sdy.sharding_constraint %28 <@mesh, [{"x"}, {}, {"y"}]> : tensor<16x8x64xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_8) applies stablehlo.maximum across dimensions = [2] : (tensor<16x8x64xf32>, tensor<f32>) -> tensor<16x8xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %32 = stablehlo.maximum %31, %30 : tensor<16x8xf32>
    %33 = stablehlo.is_finite %32 : (tensor<16x8xf32>) -> tensor<16x8xi1>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %35 = stablehlo.select %33, %32, %34 : tensor<16x8xi1>, tensor<16x8xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1] : (tensor<16x8xf32>) -> tensor<16x8x1xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2] : (tensor<16x8x1xf32>) -> tensor<16x8x64xf32>
    %38 = stablehlo.subtract %29, %37 : tensor<16x8x64xf32>
    %39 = stablehlo.exponential %38 : tensor<16x8x64xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.reduce(%39 init: %cst_11) applies stablehlo.add across dimensions = [2] : (tensor<16x8x64xf32>, tensor<f32>) -> tensor<16x8xf32>
    %41 = stablehlo.abs %40 : tensor<16x8xf32>
    %42 = stablehlo.log %41 : tensor<16x8xf32>
    %43 = stablehlo.add %42, %35 : tensor<16x8xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.reduce(%43 init: %cst_12) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_13 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %45 = stablehlo.divide %44, %cst_13 : tensor<f32>
    return %45 : tensor<f32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<7x4x8x16xf32>, %arg1: tensor<i32>) -> tensor<4x8x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 4, 8, 16] : (tensor<7x4x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x8x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4x8x16xf32>) -> tensor<4x8x16xf32>
    return %1 : tensor<4x8x16xf32>
  }
  func.func private @closed_call(%arg0: tensor<4x16x32xf32>, %arg1: tensor<4x32x16xf32>, %arg2: tensor<4x16x4xf32>, %arg3: tensor<4x4x16x32xf32>, %arg4: tensor<4x4x32x16xf32>, %arg5: tensor<4x4x8x16xf32>, %arg6: tensor<4x8x16xf32>) -> (tensor<4x4x8x16xf32>, tensor<4x8x16xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg6, dims = [1, 2, 3] : (tensor<4x8x16xf32>) -> tensor<1x4x8x16xf32>
    %1 = stablehlo.slice %arg5 [0:3, 0:4, 0:8, 0:16] : (tensor<4x4x8x16xf32>) -> tensor<3x4x8x16xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x4x8x16xf32>, tensor<3x4x8x16xf32>) -> tensor<4x4x8x16xf32>
    %3 = stablehlo.dot_general %2, %arg0, batching_dims = [0] x [0], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8x16xf32>, tensor<4x16x32xf32>) -> tensor<4x4x8x32xf32>
    %4 = call @relu(%3) : (tensor<4x4x8x32xf32>) -> tensor<4x4x8x32xf32>
    %5 = stablehlo.dot_general %4, %arg1, batching_dims = [0] x [0], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8x32xf32>, tensor<4x32x16xf32>) -> tensor<4x4x8x16xf32>
    %6 = stablehlo.add %2, %5 : tensor<4x4x8x16xf32>
    %7 = stablehlo.dot_general %6, %arg2, batching_dims = [0] x [0], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8x16xf32>, tensor<4x16x4xf32>) -> tensor<4x4x8x4xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.maximum across dimensions = [3] : (tensor<4x4x8x4xf32>, tensor<f32>) -> tensor<4x4x8xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x4x8xf32>
    %10 = stablehlo.maximum %9, %8 : tensor<4x4x8xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<4x4x8xf32>) -> tensor<4x4x8x1xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2, 3] : (tensor<4x4x8x1xf32>) -> tensor<4x4x8x4xf32>
    %13 = stablehlo.subtract %7, %12 : tensor<4x4x8x4xf32>
    %14 = stablehlo.exponential %13 : tensor<4x4x8x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_1) applies stablehlo.add across dimensions = [3] : (tensor<4x4x8x4xf32>, tensor<f32>) -> tensor<4x4x8xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<4x4x8xf32>) -> tensor<4x4x8x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2, 3] : (tensor<4x4x8x1xf32>) -> tensor<4x4x8x4xf32>
    %18 = stablehlo.divide %14, %17 : tensor<4x4x8x4xf32>
    %19 = stablehlo.iota dim = 0 : tensor<8xi32>
    %c = stablehlo.constant dense<4> : tensor<i32>
    %20 = call @remainder(%19, %c) : (tensor<8xi32>, tensor<i32>) -> tensor<8xi32>
    %21 = call @_one_hot(%20) : (tensor<8xi32>) -> tensor<8x4xf32>
    %22 = stablehlo.dot_general %21, %18, batching_dims = [0] x [2], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x4x8x4xf32>) -> tensor<8x4x4x4x4xf32>
    %23 = stablehlo.transpose %22, dims = [2, 3, 0, 4, 1] : (tensor<8x4x4x4x4xf32>) -> tensor<4x4x8x4x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x4x8x4x4xf32>
    %25 = stablehlo.compare GT, %23, %24, FLOAT : (tensor<4x4x8x4x4xf32>, tensor<4x4x8x4x4xf32>) -> tensor<4x4x8x4x4xi1>
    %26 = stablehlo.convert %25 : (tensor<4x4x8x4x4xi1>) -> tensor<4x4x8x4x4xf32>
    %27 = stablehlo.dot_general %6, %26, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8x16xf32>, tensor<4x4x8x4x4xf32>) -> tensor<4x4x16x4x4xf32>
    %28 = stablehlo.transpose %27, dims = [0, 3, 1, 4, 2] : (tensor<4x4x16x4x4xf32>) -> tensor<4x4x4x4x16xf32>
    %29 = stablehlo.dot_general %28, %arg3, batching_dims = [0, 1] x [0, 1], contracting_dims = [4] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x4x4x4x16xf32>, tensor<4x4x16x32xf32>) -> tensor<4x4x4x4x32xf32>
    %30 = call @relu_0(%29) : (tensor<4x4x4x4x32xf32>) -> tensor<4x4x4x4x32xf32>
    %31 = stablehlo.dot_general %30, %arg4, batching_dims = [0, 1] x [0, 1], contracting_dims = [4] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x4x4x4x32xf32>, tensor<4x4x32x16xf32>) -> tensor<4x4x4x4x16xf32>
    %32 = stablehlo.dot_general %23, %31, batching_dims = [0, 1] x [0, 2], contracting_dims = [4, 3] x [3, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8x4x4xf32>, tensor<4x4x4x4x16xf32>) -> tensor<4x4x8x16xf32>
    %33 = stablehlo.add %6, %32 : tensor<4x4x8x16xf32>
    %34 = sdy.sharding_constraint %33 <@mesh, [{"x"}, {?}, {?}, {?}]> : tensor<4x4x8x16xf32>
    %35 = stablehlo.slice %34 [3:4, 0:4, 0:8, 0:16] : (tensor<4x4x8x16xf32>) -> tensor<1x4x8x16xf32>
    %36 = stablehlo.reshape %35 : (tensor<1x4x8x16xf32>) -> tensor<4x8x16xf32>
    return %34, %36 : tensor<4x4x8x16xf32>, tensor<4x8x16xf32>
  }
  func.func private @relu(%arg0: tensor<4x4x8x32xf32>) -> tensor<4x4x8x32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4x8x32xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x4x8x32xf32>
    return %1 : tensor<4x4x8x32xf32>
  }
  func.func private @remainder(%arg0: tensor<8xi32>, %arg1: tensor<i32>) -> tensor<8xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<8xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<8xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
    %12 = stablehlo.and %11, %6 : tensor<8xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %14 = stablehlo.add %4, %13 : tensor<8xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<8xi1>, tensor<8xi32>
    return %15 : tensor<8xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_one_hot(%arg0: tensor<8xi32>) -> tensor<8x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<1x4xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<8x1xi32>) -> tensor<8x4xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x4xi32>) -> tensor<8x4xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<8x4xi1>
    %5 = stablehlo.convert %4 : (tensor<8x4xi1>) -> tensor<8x4xf32>
    return %5 : tensor<8x4xf32>
  }
  func.func private @relu_0(%arg0: tensor<4x4x4x4x32xf32>) -> tensor<4x4x4x4x32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4x4x4x32xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x4x4x4x32xf32>
    return %1 : tensor<4x4x4x4x32xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<7x4x8x16xf32>, %arg1: tensor<4x8x16xf32>, %arg2: tensor<i32>) -> tensor<7x4x8x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<4x8x16xf32>) -> tensor<1x4x8x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<7x4x8x16xf32>, tensor<1x4x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<7x4x8x16xf32>
    return %1 : tensor<7x4x8x16xf32>
  }
  func.func private @closed_call_1(%arg0: tensor<4x16x32xf32>, %arg1: tensor<4x32x16xf32>, %arg2: tensor<4x4x8x16xf32>, %arg3: tensor<4x8x16xf32>) -> (tensor<4x4x8x16xf32>, tensor<4x8x16xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg3, dims = [1, 2, 3] : (tensor<4x8x16xf32>) -> tensor<1x4x8x16xf32>
    %1 = stablehlo.slice %arg2 [0:3, 0:4, 0:8, 0:16] : (tensor<4x4x8x16xf32>) -> tensor<3x4x8x16xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x4x8x16xf32>, tensor<3x4x8x16xf32>) -> tensor<4x4x8x16xf32>
    %3 = stablehlo.dot_general %2, %arg0, batching_dims = [0] x [0], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8x16xf32>, tensor<4x16x32xf32>) -> tensor<4x4x8x32xf32>
    %4 = call @relu(%3) : (tensor<4x4x8x32xf32>) -> tensor<4x4x8x32xf32>
    %5 = stablehlo.dot_general %4, %arg1, batching_dims = [0] x [0], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8x32xf32>, tensor<4x32x16xf32>) -> tensor<4x4x8x16xf32>
    %6 = stablehlo.add %2, %5 : tensor<4x4x8x16xf32>
    %7 = sdy.sharding_constraint %6 <@mesh, [{"x"}, {?}, {?}, {?}]> : tensor<4x4x8x16xf32>
    %8 = stablehlo.slice %7 [3:4, 0:4, 0:8, 0:16] : (tensor<4x4x8x16xf32>) -> tensor<1x4x8x16xf32>
    %9 = stablehlo.reshape %8 : (tensor<1x4x8x16xf32>) -> tensor<4x8x16xf32>
    return %7, %9 : tensor<4x4x8x16xf32>, tensor<4x8x16xf32>
  }
}

//| %arg0 [{"y"}, {}]
//| %arg1 [{"x"}, {}, {"y"}]
//| %arg2 [{"x"}, {"y"}, {}]
//| %arg3 [{"x"}, {}, {}]
//| %arg4 [{"x"}, {"y"}, {}, {}]
//| %arg5 [{"x"}, {"y"}, {}, {}]
//| %arg6 [{"x"}, {}, {"y"}]
//| %arg7 [{"x"}, {"y"}, {}]
//| %arg8 [{"x"}, {}]
//| %0 [{"x"}, {}]
//| %1 [{"x"}, {}]
//| %2 [{"x"}, {}]
//| %3 [{"x"}, {}]
//| %4 [{"x"}, {}]
//| %5 [{"x"}, {}]
//| %6 [{"x"}, {}, {}]
//| %7 [{"x"}, {}, {}]
//| %8 [{"x"}, {}, {}]
//| %9 [{"x"}, {"y"}, {}, {}]
//| %10 [{}, {"y"}, {}, {}]
//| %11 [{"x"}, {"y"}, {}, {}]
//| %12 [{"x"}, {"y"}, {}, {}]
//| %13 [{}, {"y"}, {}, {}]
//| %14 [{}, {"y"}, {}, {}]
//| %15 [{}, {"y"}, {}, {}]
//| %16#0 [{}, {"y"}, {}, {}]
//| %16#1 [{"x"}, {}, {"y"}]
//| %16#2 [{"x"}, {"y"}, {}]
//| %16#3 [{"x"}, {}, {}]
//| %16#4 [{"x"}, {"y"}, {}, {}]
//| %16#5 [{"x"}, {"y"}, {}, {}]
//| %16#7 [{"x"}, {"y"}, {}, {}]
//| %16#8 [{}, {"y"}, {}, {}]
//| %17 [{}, {"y"}, {}, {}]
//| %19 [{"x"}, {"y"}, {}, {}]
//| %21 [{}, {"y"}, {}, {}]
//| %22 [{"x"}, {"y"}, {}, {}]
//| %23#0 [{}, {"y"}, {}, {}]
//| %23#1 [{"x"}, {}, {"y"}]
//| %23#2 [{"x"}, {"y"}, {}]
//| %23#4 [{"x"}, {"y"}, {}, {}]
//| %23#5 [{"x"}, {"y"}, {}, {}]
//| %24 [{"x"}, {"y"}, {}, {}]
//| %25 [{"x", "y"}, {}, {}]
//| %26 [{"x"}, {}, {}]
//| %27 [{}, {"y"}]
//| %28 [{"x"}, {}, {"y"}]
//| %29 [{"x"}, {}, {"y"}]
//| %30 [{"x"}, {}]
//| %31 [{"x"}, {}]
//| %32 [{"x"}, {}]
//| %33 [{"x"}, {}]
//| %34 [{"x"}, {}]
//| %35 [{"x"}, {}]
//| %36 [{"x"}, {}, {}]
//| %37 [{"x"}, {}, {"y"}]
//| %38 [{"x"}, {}, {"y"}]
//| %39 [{"x"}, {}, {"y"}]
//| %40 [{"x"}, {}]
//| %41 [{"x"}, {}]
//| %42 [{"x"}, {}]
//| %43 [{"x"}, {}]
//| %iterArg [{}, {"y"}, {}, {}]
//| %iterArg_14 [{"x"}, {}, {"y"}]
//| %iterArg_15 [{"x"}, {"y"}, {}]
//| %iterArg_16 [{"x"}, {}, {}]
//| %iterArg_17 [{"x"}, {"y"}, {}, {}]
//| %iterArg_18 [{"x"}, {"y"}, {}, {}]
//| %iterArg_20 [{"x"}, {"y"}, {}, {}]
//| %iterArg_21 [{}, {"y"}, {}, {}]
//| %iterArg [{}, {"y"}, {}, {}]
//| %iterArg_14 [{"x"}, {}, {"y"}]
//| %iterArg_15 [{"x"}, {"y"}, {}]
//| %iterArg_16 [{"x"}, {}, {}]
//| %iterArg_17 [{"x"}, {"y"}, {}, {}]
//| %iterArg_18 [{"x"}, {"y"}, {}, {}]
//| %iterArg_20 [{"x"}, {"y"}, {}, {}]
//| %iterArg_21 [{}, {"y"}, {}, {}]
//| %46 [{"y"}, {}, {}]
//| %47#0 [{"x"}, {"y"}, {}, {}]
//| %47#1 [{"y"}, {}, {}]
//| %48 [{}, {"y"}, {}, {}]
//| %iterArg [{}, {"y"}, {}, {}]
//| %iterArg_14 [{"x"}, {}, {"y"}]
//| %iterArg_15 [{"x"}, {"y"}, {}]
//| %iterArg_17 [{"x"}, {"y"}, {}, {}]
//| %iterArg_18 [{"x"}, {"y"}, {}, {}]
//| %iterArg [{}, {"y"}, {}, {}]
//| %iterArg_14 [{"x"}, {}, {"y"}]
//| %iterArg_15 [{"x"}, {"y"}, {}]
//| %iterArg_17 [{"x"}, {"y"}, {}, {}]
//| %iterArg_18 [{"x"}, {"y"}, {}, {}]
//| %46 [{"y"}, {}, {}]
//| %47#0 [{"x"}, {"y"}, {}, {}]
//| %47#1 [{"y"}, {}, {}]
//| %48 [{"x"}, {"y"}, {}, {}]
//| %arg0 [{}, {"y"}, {}, {}]
//| %0 [{}, {"y"}, {}, {}]
//| %1 [{"y"}, {}, {}]
//| %arg0 [{"x"}, {}, {"y"}]
//| %arg1 [{"x"}, {"y"}, {}]
//| %arg2 [{"x"}, {}, {}]
//| %arg3 [{"x"}, {"y"}, {}, {}]
//| %arg4 [{"x"}, {"y"}, {}, {}]
//| %arg5 [{"x"}, {"y"}, {}, {}]
//| %arg6 [{"y"}, {}, {}]
//| %0 [{}, {"y"}, {}, {}]
//| %1 [{}, {"y"}, {}, {}]
//| %2 [{"x"}, {"y"}, {}, {}]
//| %3 [{"x"}, {"y"}, {}, {}]
//| %4 [{"x"}, {"y"}, {}, {}]
//| %5 [{"x"}, {"y"}, {}, {}]
//| %6 [{"x"}, {"y"}, {}, {}]
//| %7 [{"x"}, {"y"}, {}, {}]
//| %8 [{"x"}, {"y"}, {}]
//| %9 [{"x"}, {"y"}, {}]
//| %10 [{"x"}, {"y"}, {}]
//| %11 [{"x"}, {"y"}, {}, {}]
//| %12 [{"x"}, {"y"}, {}, {}]
//| %13 [{"x"}, {"y"}, {}, {}]
//| %14 [{"x"}, {"y"}, {}, {}]
//| %15 [{"x"}, {"y"}, {}]
//| %16 [{"x"}, {"y"}, {}, {}]
//| %17 [{"x"}, {"y"}, {}, {}]
//| %18 [{"x"}, {"y"}, {}, {}]
//| %19 [{}]
//| %20 [{}]
//| %21 [{}, {}]
//| %22 [{}, {}, {"x"}, {"y"}, {}]
//| %23 [{"x"}, {"y"}, {}, {}, {}]
//| %24 [{"x"}, {"y"}, {}, {}, {}]
//| %25 [{"x"}, {"y"}, {}, {}, {}]
//| %26 [{"x"}, {"y"}, {}, {}, {}]
//| %27 [{"x"}, {"y"}, {}, {}, {}]
//| %28 [{"x"}, {}, {"y"}, {}, {}]
//| %29 [{"x"}, {"y"}, {}, {}, {}]
//| %30 [{"x"}, {"y"}, {}, {}, {}]
//| %31 [{"x"}, {"y"}, {}, {}, {}]
//| %32 [{"x"}, {"y"}, {}, {}]
//| %33 [{"x"}, {"y"}, {}, {}]
//| %34 [{"x"}, {"y"}, {}, {}]
//| %35 [{}, {"y"}, {}, {}]
//| %36 [{"y"}, {}, {}]
//| %arg0 [{"x"}, {"y"}, {}, {}]
//| %0 [{"x"}, {"y"}, {}, {}]
//| %1 [{"x"}, {"y"}, {}, {}]
//| %arg0 [{}]
//| %3 [{}]
//| %4 [{}]
//| %5 [{}]
//| %6 [{}]
//| %8 [{}]
//| %10 [{}]
//| %11 [{}]
//| %12 [{}]
//| %13 [{}]
//| %14 [{}]
//| %15 [{}]
//| %arg0 [{}]
//| %0 [{}, {}]
//| %1 [{}, {}]
//| %2 [{}, {}]
//| %3 [{}, {}]
//| %4 [{}, {}]
//| %5 [{}, {}]
//| %arg0 [{"x"}, {"y"}, {}, {}, {}]
//| %0 [{"x"}, {"y"}, {}, {}, {}]
//| %1 [{"x"}, {"y"}, {}, {}, {}]
//| %arg0 [{}, {"y"}, {}, {}]
//| %arg1 [{"y"}, {}, {}]
//| %0 [{}, {"y"}, {}, {}]
//| %1 [{}, {"y"}, {}, {}]
//| %arg0 [{"x"}, {}, {"y"}]
//| %arg1 [{"x"}, {"y"}, {}]
//| %arg2 [{"x"}, {"y"}, {}, {}]
//| %arg3 [{"y"}, {}, {}]
//| %0 [{}, {"y"}, {}, {}]
//| %1 [{}, {"y"}, {}, {}]
//| %2 [{"x"}, {"y"}, {}, {}]
//| %3 [{"x"}, {"y"}, {}, {}]
//| %4 [{"x"}, {"y"}, {}, {}]
//| %5 [{"x"}, {"y"}, {}, {}]
//| %6 [{"x"}, {"y"}, {}, {}]
//| %7 [{"x"}, {"y"}, {}, {}]
//| %8 [{}, {"y"}, {}, {}]
//| %9 [{"y"}, {}, {}]
//| %arg0 [{}, {"y"}, {}, {}]
//| %0 [{}, {"y"}, {}, {}]
//| %1 [{"y"}, {}, {}]
//| %arg0 [{"x"}, {"y"}, {}, {}]
//| %arg1 [{"y"}, {}, {}]
//| %0 [{}, {"y"}, {}, {}]
//| %1 [{"x"}, {"y"}, {}, {}]
//| %arg0 [{"x"}, {"y"}, {}, {}]
//| %0 [{"x"}, {"y"}, {}, {}]
//| %1 [{"x"}, {"y"}, {}, {}]
