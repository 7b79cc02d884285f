module @jit_moe_sharded_gspmd attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x6x4xf32> {mhlo.sharding = "{devices=[4,1,1,2]<=[8] last_tile_dim_replicate}"}, %arg1: tensor<4x4xf32> {mhlo.sharding = "{replicated}"}, %arg2: tensor<4x4x8xf32> {mhlo.sharding = "{devices=[4,1,2]<=[8]}"}, %arg3: tensor<4x8x4xf32> {mhlo.sharding = "{devices=[4,2,1]<=[8]}"}) -> (tensor<8x6x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x6x4xf32>, tensor<4x4xf32>) -> tensor<8x6x4xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<8x6x4xf32>, tensor<f32>) -> tensor<8x6xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %3 = stablehlo.maximum %2, %1 : tensor<8x6xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<8x6xf32>) -> tensor<8x6x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<8x6x1xf32>) -> tensor<8x6x4xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<8x6x4xf32>
    %7 = stablehlo.exponential %6 : tensor<8x6x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<8x6x4xf32>, tensor<f32>) -> tensor<8x6xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<8x6xf32>) -> tensor<8x6x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<8x6x1xf32>) -> tensor<8x6x4xf32>
    %11 = stablehlo.divide %7, %10 : tensor<8x6x4xf32>
    %12 = call @argmax(%11) : (tensor<8x6x4xf32>) -> tensor<8x6xi32>
    %13 = call @_one_hot(%12) : (tensor<8x6xi32>) -> tensor<8x6x4xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x6x4xf32>
    %15 = stablehlo.subtract %14, %13 : tensor<8x6x4xf32>
    %16 = stablehlo.multiply %11, %15 : tensor<8x6x4xf32>
    %17 = call @argmax(%16) : (tensor<8x6x4xf32>) -> tensor<8x6xi32>
    %18 = call @_one_hot(%17) : (tensor<8x6xi32>) -> tensor<8x6x4xf32>
    %19 = call @cumsum(%13) : (tensor<8x6x4xf32>) -> tensor<8x6x4xf32>
    %20 = stablehlo.multiply %19, %13 : tensor<8x6x4xf32>
    %21 = stablehlo.subtract %20, %13 : tensor<8x6x4xf32>
    %22 = call @cumsum(%18) : (tensor<8x6x4xf32>) -> tensor<8x6x4xf32>
    %23 = stablehlo.subtract %22, %18 : tensor<8x6x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.reduce(%13 init: %cst_3) applies stablehlo.add across dimensions = [1] : (tensor<8x6x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 2] : (tensor<8x4xf32>) -> tensor<8x1x4xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<8x1x4xf32>) -> tensor<8x6x4xf32>
    %27 = stablehlo.add %23, %26 : tensor<8x6x4xf32>
    %28 = stablehlo.multiply %27, %18 : tensor<8x6x4xf32>
    %cst_4 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x6x4xf32>
    %30 = stablehlo.compare LT, %21, %29, FLOAT : (tensor<8x6x4xf32>, tensor<8x6x4xf32>) -> tensor<8x6x4xi1>
    %31 = stablehlo.convert %30 : (tensor<8x6x4xi1>) -> tensor<8x6x4xf32>
    %32 = stablehlo.multiply %13, %31 : tensor<8x6x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.reduce(%21 init: %cst_5) applies stablehlo.add across dimensions = [2] : (tensor<8x6x4xf32>, tensor<f32>) -> tensor<8x6xf32>
    %34 = stablehlo.convert %33 : (tensor<8x6xf32>) -> tensor<8x6xi32>
    %35 = call @_one_hot(%34) : (tensor<8x6xi32>) -> tensor<8x6x4xf32>
    %36 = stablehlo.multiply %11, %32 : tensor<8x6x4xf32>
    %37 = stablehlo.dot_general %36, %35, batching_dims = [0, 1] x [0, 1], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<8x6x4xf32>, tensor<8x6x4xf32>) -> tensor<8x6x4x4xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x6x4x4xf32>
    %39 = stablehlo.add %38, %37 : tensor<8x6x4x4xf32>
    %cst_7 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x6x4xf32>
    %41 = stablehlo.compare LT, %28, %40, FLOAT : (tensor<8x6x4xf32>, tensor<8x6x4xf32>) -> tensor<8x6x4xi1>
    %42 = stablehlo.convert %41 : (tensor<8x6x4xi1>) -> tensor<8x6x4xf32>
    %43 = stablehlo.multiply %18, %42 : tensor<8x6x4xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.reduce(%28 init: %cst_8) applies stablehlo.add across dimensions = [2] : (tensor<8x6x4xf32>, tensor<f32>) -> tensor<8x6xf32>
    %45 = stablehlo.convert %44 : (tensor<8x6xf32>) -> tensor<8x6xi32>
    %46 = call @_one_hot(%45) : (tensor<8x6xi32>) -> tensor<8x6x4xf32>
    %47 = stablehlo.multiply %11, %43 : tensor<8x6x4xf32>
    %48 = stablehlo.dot_general %47, %46, batching_dims = [0, 1] x [0, 1], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<8x6x4xf32>, tensor<8x6x4xf32>) -> tensor<8x6x4x4xf32>
    %49 = stablehlo.add %39, %48 : tensor<8x6x4x4xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x6x4x4xf32>
    %51 = stablehlo.compare GT, %49, %50, FLOAT : (tensor<8x6x4x4xf32>, tensor<8x6x4x4xf32>) -> tensor<8x6x4x4xi1>
    %52 = stablehlo.convert %51 : (tensor<8x6x4x4xi1>) -> tensor<8x6x4x4xf32>
    %53 = stablehlo.dot_general %arg0, %52, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x6x4xf32>, tensor<8x6x4x4xf32>) -> tensor<8x4x4x4xf32>
    %54 = stablehlo.transpose %53, dims = [2, 0, 3, 1] : (tensor<8x4x4x4xf32>) -> tensor<4x8x4x4xf32>
    %55 = stablehlo.dot_general %54, %arg2, batching_dims = [0] x [0], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x4x4xf32>, tensor<4x4x8xf32>) -> tensor<4x8x4x8xf32>
    %56 = call @relu(%55) : (tensor<4x8x4x8xf32>) -> tensor<4x8x4x8xf32>
    %57 = stablehlo.dot_general %56, %arg3, batching_dims = [0] x [0], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x4x8xf32>, tensor<4x8x4xf32>) -> tensor<4x8x4x4xf32>
    %58 = stablehlo.dot_general %49, %57, batching_dims = [0] x [1], contracting_dims = [3, 2] x [2, 0], precision = [DEFAULT, DEFAULT] : (tensor<8x6x4x4xf32>, tensor<4x8x4x4xf32>) -> tensor<8x6x4xf32>
    %59 = stablehlo.custom_call @Sharding(%58) {backend_config = "", mhlo.sharding = "{devices=[4,1,1,2]<=[8] last_tile_dim_replicate}"} : (tensor<8x6x4xf32>) -> tensor<8x6x4xf32>
    return %59 : tensor<8x6x4xf32>
  }
  func.func private @argmax(%arg0: tensor<8x6x4xf32>) -> tensor<8x6xi32> {
    %0 = stablehlo.iota dim = 2 : tensor<8x6x4xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [2] : (tensor<8x6x4xf32>, tensor<8x6x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<8x6xf32>, tensor<8x6xi32>)
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
    return %1#1 : tensor<8x6xi32>
  }
  func.func private @_one_hot(%arg0: tensor<8x6xi32>) -> tensor<8x6x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<8x6xi32>) -> tensor<8x6x1xi32>
    %1 = stablehlo.iota dim = 2 : tensor<1x1x4xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<8x6x1xi32>) -> tensor<8x6x4xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x4xi32>) -> tensor<8x6x4xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<8x6x4xi32>, tensor<8x6x4xi32>) -> tensor<8x6x4xi1>
    %5 = stablehlo.convert %4 : (tensor<8x6x4xi1>) -> tensor<8x6x4xf32>
    return %5 : tensor<8x6x4xf32>
  }
  func.func private @cumsum(%arg0: tensor<8x6x4xf32>) -> tensor<8x6x4xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<8x6x4xf32>) -> tensor<8x6x4xf32>
    return %0 : tensor<8x6x4xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<8x6x4xf32>) -> tensor<8x6x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [5, 0], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 6, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x6x4xf32>, tensor<f32>) -> tensor<8x6x4xf32>
    return %1 : tensor<8x6x4xf32>
  }
  func.func private @relu(%arg0: tensor<4x8x4x8xf32>) -> tensor<4x8x4x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8x4x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x8x4x8xf32>
    return %1 : tensor<4x8x4x8xf32>
  }
}
