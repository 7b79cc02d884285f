module @jit_while_loop attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<4xf32>) -> (tensor<i32> {jax.result_info = "result[0][0]"}, tensor<4xf32> {jax.result_info = "result[0][1]"}, tensor<4xf32> {jax.result_info = "result[1]"}, tensor<i32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %arg0, %iterArg_4 = %c, %iterArg_5 = %arg1) : tensor<i32>, tensor<i32>, tensor<4xf32>
    cond {
      %3 = stablehlo.compare LT, %iterArg_4, %iterArg, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_6 = stablehlo.constant dense<2> : tensor<i32>
      %3 = stablehlo.multiply %iterArg_4, %c_6 : tensor<i32>
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %3, %c_7 : tensor<i32>
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %6 = stablehlo.add %iterArg_5, %5 : tensor<4xf32>
      stablehlo.return %iterArg, %4, %6 : tensor<i32>, tensor<i32>, tensor<4xf32>
    }
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1:4 = stablehlo.while(%iterArg = %arg1, %iterArg_4 = %c_1, %iterArg_5 = %c_0, %iterArg_6 = %arg1) : tensor<4xf32>, tensor<i32>, tensor<i32>, tensor<4xf32>
    cond {
      %c_7 = stablehlo.constant dense<5> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg_4, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3:2 = func.call @closed_call(%iterArg, %iterArg_5, %iterArg_6) : (tensor<4xf32>, tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg_4, %c_7 : tensor<i32>
      stablehlo.return %iterArg, %4, %3#0, %3#1 : tensor<4xf32>, tensor<i32>, tensor<i32>, tensor<4xf32>
    }
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %2:3 = stablehlo.while(%iterArg = %c_2, %iterArg_4 = %arg0, %iterArg_5 = %c_3) : tensor<i32>, tensor<i32>, tensor<i32>
    cond {
      %3 = stablehlo.compare LT, %iterArg, %iterArg_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_6 : tensor<i32>
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg_5, %c_7 : tensor<i32>
      stablehlo.return %3, %iterArg_4, %4 : tensor<i32>, tensor<i32>, tensor<i32>
    }
    return %0#1, %0#2, %1#3, %2#2 : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>
  }
  func.func private @closed_call(%arg0: tensor<4xf32>, %arg1: tensor<i32>, %arg2: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c : tensor<i32>
    %1 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %3 = stablehlo.multiply %2, %arg0 : tensor<4xf32>
    %4 = stablehlo.add %arg2, %3 : tensor<4xf32>
    return %0, %4 : tensor<i32>, tensor<4xf32>
  }
}
