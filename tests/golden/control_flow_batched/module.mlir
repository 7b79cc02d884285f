module @jit_control_flow_batched attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf32>, %arg1: tensor<3xi32>) -> (tensor<3xi32> {jax.result_info = "result[0][0]"}, tensor<3x4xf32> {jax.result_info = "result[0][1]"}, tensor<3x4xf32> {jax.result_info = "result[1]"}, tensor<3xf32> {jax.result_info = "result[2][0]"}, tensor<3x4xf32> {jax.result_info = "result[2][1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %1:3 = stablehlo.while(%iterArg = %arg1, %iterArg_6 = %0, %iterArg_7 = %arg0) : tensor<3xi32>, tensor<3xi32>, tensor<3x4xf32>
    cond {
      %24 = stablehlo.convert %iterArg_6 : tensor<3xi32>
      %25 = stablehlo.compare LT, %24, %iterArg, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %c_8 = stablehlo.constant dense<false> : tensor<i1>
      %26 = stablehlo.reduce(%25 init: %c_8) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %26 : tensor<i1>
    } do {
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %24 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %25 = stablehlo.add %iterArg_6, %24 : tensor<3xi32>
      %cst_9 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %26 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %27 = stablehlo.multiply %iterArg_7, %26 : tensor<3x4xf32>
      %28 = stablehlo.convert %iterArg_6 : tensor<3xi32>
      %29 = stablehlo.compare LT, %28, %iterArg, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %30 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %31 = stablehlo.select %30, %25, %iterArg_6 : tensor<3xi1>, tensor<3xi32>
      %32 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<3xi1>) -> tensor<3x4xi1>
      %33 = stablehlo.select %32, %27, %iterArg_7 : tensor<3x4xi1>, tensor<3x4xf32>
      stablehlo.return %iterArg, %31, %33 : tensor<3xi32>, tensor<3xi32>, tensor<3x4xf32>
    }
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %3 = stablehlo.compare GT, %arg1, %2, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %4 = stablehlo.convert %3 : (tensor<3xi1>) -> tensor<3xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %6 = stablehlo.compare EQ, %4, %5, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<3xi1>) -> tensor<3x4xi1>
    %8 = stablehlo.select %7, %arg0, %arg0 : tensor<3x4xi1>, tensor<3x4xf32>
    %9 = stablehlo.abs %8 : tensor<3x4xf32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %11 = stablehlo.compare EQ, %4, %10, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<3xi1>) -> tensor<3x4xi1>
    %13 = stablehlo.select %12, %arg0, %arg0 : tensor<3x4xi1>, tensor<3x4xf32>
    %14 = stablehlo.negate %13 : tensor<3x4xf32>
    %15 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<3xi32>) -> tensor<3x4xi32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3x4xi32>
    %17 = stablehlo.compare LT, %15, %16, SIGNED : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi1>
    %18 = stablehlo.select %17, %9, %14 : tensor<3x4xi1>, tensor<3x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %20 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %22:4 = stablehlo.while(%iterArg = %20, %iterArg_6 = %c_5, %iterArg_7 = %19, %iterArg_8 = %21) : tensor<4x3xf32>, tensor<i32>, tensor<3xf32>, tensor<4x3xf32>
    cond {
      %c_9 = stablehlo.constant dense<4> : tensor<i32>
      %24 = stablehlo.compare LT, %iterArg_6, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %24 : tensor<i1>
    } do {
      %24 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_6) : (tensor<4x3xf32>, tensor<i32>) -> tensor<3xf32>
      %25:2 = func.call @closed_call(%iterArg_7, %24) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
      %26 = func.call @dynamic_update_index_in_dim(%iterArg_8, %25#1, %iterArg_6) : (tensor<4x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<4x3xf32>
      %c_9 = stablehlo.constant dense<1> : tensor<i32>
      %27 = stablehlo.add %iterArg_6, %c_9 : tensor<i32>
      stablehlo.return %iterArg, %27, %25#0, %26 : tensor<4x3xf32>, tensor<i32>, tensor<3xf32>, tensor<4x3xf32>
    }
    %23 = stablehlo.transpose %22#3, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
    return %1#1, %1#2, %18, %22#2, %23 : tensor<3xi32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3xf32>, tensor<3x4xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<4x3xf32>, %arg1: tensor<i32>) -> tensor<3xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 3] : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x3xf32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  }
  func.func private @closed_call(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %0 = stablehlo.convert %arg0 : tensor<3xf32>
    %1 = stablehlo.add %0, %arg1 : tensor<3xf32>
    return %1, %arg0 : tensor<3xf32>, tensor<3xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<4x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<i32>) -> tensor<4x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
    return %1 : tensor<4x3xf32>
  }
}
