module @jit_convert_f8 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf32>) -> (tensor<16xf8E4M3FN> {jax.result_info = "result[0][0]"}, tensor<16xf8E5M2> {jax.result_info = "result[0][1]"}, tensor<16xf8E4M3B11FNUZ> {jax.result_info = "result[0][2]"}, tensor<16xf8E4M3FNUZ> {jax.result_info = "result[0][3]"}, tensor<16xf8E5M2FNUZ> {jax.result_info = "result[0][4]"}, tensor<16xf8E3M4> {jax.result_info = "result[0][5]"}, tensor<16xf8E4M3> {jax.result_info = "result[0][6]"}, tensor<16xf8E8M0FNU> {jax.result_info = "result[0][7]"}, tensor<16xf32> {jax.result_info = "result[1][0]"}, tensor<16xf32> {jax.result_info = "result[1][1]"}, tensor<16xf32> {jax.result_info = "result[1][2]"}, tensor<16xf32> {jax.result_info = "result[1][3]"}, tensor<16xf32> {jax.result_info = "result[1][4]"}, tensor<16xf32> {jax.result_info = "result[1][5]"}, tensor<16xf32> {jax.result_info = "result[1][6]"}, tensor<16xf32> {jax.result_info = "result[1][7]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<16xf32>) -> tensor<16xf8E4M3FN>
    %1 = stablehlo.convert %arg0 : (tensor<16xf32>) -> tensor<16xf8E5M2>
    %2 = stablehlo.convert %arg0 : (tensor<16xf32>) -> tensor<16xf8E4M3B11FNUZ>
    %3 = stablehlo.convert %arg0 : (tensor<16xf32>) -> tensor<16xf8E4M3FNUZ>
    %4 = stablehlo.convert %arg0 : (tensor<16xf32>) -> tensor<16xf8E5M2FNUZ>
    %5 = stablehlo.convert %arg0 : (tensor<16xf32>) -> tensor<16xf8E3M4>
    %6 = stablehlo.convert %arg0 : (tensor<16xf32>) -> tensor<16xf8E4M3>
    %7 = stablehlo.abs %arg0 : tensor<16xf32>
    %8 = stablehlo.convert %7 : (tensor<16xf32>) -> tensor<16xf8E8M0FNU>
    %9 = stablehlo.convert %0 : (tensor<16xf8E4M3FN>) -> tensor<16xf32>
    %10 = stablehlo.convert %1 : (tensor<16xf8E5M2>) -> tensor<16xf32>
    %11 = stablehlo.convert %2 : (tensor<16xf8E4M3B11FNUZ>) -> tensor<16xf32>
    %12 = stablehlo.convert %3 : (tensor<16xf8E4M3FNUZ>) -> tensor<16xf32>
    %13 = stablehlo.convert %4 : (tensor<16xf8E5M2FNUZ>) -> tensor<16xf32>
    %14 = stablehlo.convert %5 : (tensor<16xf8E3M4>) -> tensor<16xf32>
    %15 = stablehlo.convert %6 : (tensor<16xf8E4M3>) -> tensor<16xf32>
    %16 = stablehlo.convert %8 : (tensor<16xf8E8M0FNU>) -> tensor<16xf32>
    return %0, %1, %2, %3, %4, %5, %6, %8, %9, %10, %11, %12, %13, %14, %15, %16 : tensor<16xf8E4M3FN>, tensor<16xf8E5M2>, tensor<16xf8E4M3B11FNUZ>, tensor<16xf8E4M3FNUZ>, tensor<16xf8E5M2FNUZ>, tensor<16xf8E3M4>, tensor<16xf8E4M3>, tensor<16xf8E8M0FNU>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
  }
}
