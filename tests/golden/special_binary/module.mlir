module @jit_special_binary attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<36xf32>, %arg1: tensor<36xf32>) -> (tensor<36xf32> {jax.result_info = "result[0]"}, tensor<36xf32> {jax.result_info = "result[1]"}, tensor<36xf32> {jax.result_info = "result[2]"}, tensor<36xf32> {jax.result_info = "result[3]"}, tensor<36xf32> {jax.result_info = "result[4]"}, tensor<36xf32> {jax.result_info = "result[5]"}, tensor<36xf32> {jax.result_info = "result[6]"}, tensor<36xf32> {jax.result_info = "result[7]"}, tensor<36xf32> {jax.result_info = "result[8]"}, tensor<36xi1> {jax.result_info = "result[9]"}, tensor<36xi1> {jax.result_info = "result[10]"}, tensor<36xi1> {jax.result_info = "result[11]"}, tensor<36xi1> {jax.result_info = "result[12]"}, tensor<36xi1> {jax.result_info = "result[13]"}, tensor<36xi1> {jax.result_info = "result[14]"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<36xf32>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<36xf32>
    %2 = stablehlo.multiply %arg0, %arg1 : tensor<36xf32>
    %3 = stablehlo.divide %arg0, %arg1 : tensor<36xf32>
    %4 = stablehlo.maximum %arg0, %arg1 : tensor<36xf32>
    %5 = stablehlo.minimum %arg0, %arg1 : tensor<36xf32>
    %6 = stablehlo.power %arg0, %arg1 : tensor<36xf32>
    %7 = stablehlo.remainder %arg0, %arg1 : tensor<36xf32>
    %8 = stablehlo.atan2 %arg0, %arg1 : tensor<36xf32>
    %9 = stablehlo.compare EQ, %arg0, %arg1, FLOAT : (tensor<36xf32>, tensor<36xf32>) -> tensor<36xi1>
    %10 = stablehlo.compare NE, %arg0, %arg1, FLOAT : (tensor<36xf32>, tensor<36xf32>) -> tensor<36xi1>
    %11 = stablehlo.compare LT, %arg0, %arg1, FLOAT : (tensor<36xf32>, tensor<36xf32>) -> tensor<36xi1>
    %12 = stablehlo.compare LE, %arg0, %arg1, FLOAT : (tensor<36xf32>, tensor<36xf32>) -> tensor<36xi1>
    %13 = stablehlo.compare GT, %arg0, %arg1, FLOAT : (tensor<36xf32>, tensor<36xf32>) -> tensor<36xi1>
    %14 = stablehlo.compare GE, %arg0, %arg1, FLOAT : (tensor<36xf32>, tensor<36xf32>) -> tensor<36xi1>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14 : tensor<36xf32>, tensor<36xf32>, tensor<36xf32>, tensor<36xf32>, tensor<36xf32>, tensor<36xf32>, tensor<36xf32>, tensor<36xf32>, tensor<36xf32>, tensor<36xi1>, tensor<36xi1>, tensor<36xi1>, tensor<36xi1>, tensor<36xi1>, tensor<36xi1>
  }
}
