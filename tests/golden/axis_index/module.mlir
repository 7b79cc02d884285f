module @jit_axis_index attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8xf32>) -> (tensor<16xf32> {jax.result_info = "result[0]"}, tensor<16xf32> {jax.result_info = "result[1]"}) {
    %0:2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x", "y"}]>, <@mesh, [{"x", "y"}]>] manual_axes={"x", "y"} (%arg1: tensor<2xf32>) {
      %c = stablehlo.constant dense<2> : tensor<ui32>
      %c_0 = stablehlo.constant dense<4> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %c_1 = stablehlo.constant dense<10> : tensor<i32>
      %5 = stablehlo.multiply %4, %c_1 : tensor<i32>
      %6 = stablehlo.convert %5 : (tensor<i32>) -> tensor<f32>
      %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %8 = stablehlo.add %arg1, %7 : tensor<2xf32>
      %c_2 = stablehlo.constant dense<1> : tensor<ui32>
      %c_3 = stablehlo.constant dense<2> : tensor<ui32>
      %9 = stablehlo.partition_id : tensor<ui32>
      %10 = stablehlo.divide %9, %c_2 : tensor<ui32>
      %11 = stablehlo.remainder %10, %c_3 : tensor<ui32>
      %12 = stablehlo.convert %11 : (tensor<ui32>) -> tensor<i32>
      %13 = stablehlo.convert %12 : (tensor<i32>) -> tensor<f32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %15 = stablehlo.add %8, %14 : tensor<2xf32>
      %c_4 = stablehlo.constant dense<2> : tensor<ui32>
      %c_5 = stablehlo.constant dense<4> : tensor<ui32>
      %16 = stablehlo.partition_id : tensor<ui32>
      %17 = stablehlo.divide %16, %c_4 : tensor<ui32>
      %18 = stablehlo.remainder %17, %c_5 : tensor<ui32>
      %19 = stablehlo.convert %18 : (tensor<ui32>) -> tensor<i32>
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %20 = stablehlo.multiply %19, %c_6 : tensor<i32>
      %c_7 = stablehlo.constant dense<0> : tensor<i32>
      %21 = stablehlo.add %c_7, %20 : tensor<i32>
      %c_8 = stablehlo.constant dense<1> : tensor<ui32>
      %c_9 = stablehlo.constant dense<2> : tensor<ui32>
      %22 = stablehlo.partition_id : tensor<ui32>
      %23 = stablehlo.divide %22, %c_8 : tensor<ui32>
      %24 = stablehlo.remainder %23, %c_9 : tensor<ui32>
      %25 = stablehlo.convert %24 : (tensor<ui32>) -> tensor<i32>
      %c_10 = stablehlo.constant dense<4> : tensor<i32>
      %26 = stablehlo.multiply %25, %c_10 : tensor<i32>
      %27 = stablehlo.add %21, %26 : tensor<i32>
      %28 = stablehlo.convert %27 : (tensor<i32>) -> tensor<f32>
      %29 = stablehlo.broadcast_in_dim %28, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %30 = stablehlo.multiply %arg1, %29 : tensor<2xf32>
      sdy.return %15, %30 : tensor<2xf32>, tensor<2xf32>
    } : (tensor<8xf32>) -> (tensor<16xf32>, tensor<16xf32>)
    return %0#0, %0#1 : tensor<16xf32>, tensor<16xf32>
  }
}
