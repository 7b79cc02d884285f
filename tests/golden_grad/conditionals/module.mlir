module @jit_conditionals attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xf64>, %arg1: tensor<i32>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.compare GT, %0, %cst_0, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %2 = stablehlo.convert %1 : (tensor<i1>) -> tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %6 = stablehlo.exponential %arg0 : tensor<5xf64>
      %7 = stablehlo.multiply %6, %arg0 : tensor<5xf64>
      stablehlo.return %7 : tensor<5xf64>
    }, {
      %6 = stablehlo.sine %arg0 : tensor<5xf64>
      stablehlo.return %6 : tensor<5xf64>
    }) : (tensor<i32>) -> tensor<5xf64>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %4 = stablehlo.clamp %c, %arg1, %c_1 : tensor<i32>
    %5 = "stablehlo.case"(%4) ({
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %6 = stablehlo.reduce(%3 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
      stablehlo.return %6 : tensor<f64>
    }, {
      %6 = stablehlo.multiply %3, %3 : tensor<5xf64>
      %7 = stablehlo.multiply %6, %3 : tensor<5xf64>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %8 = stablehlo.reduce(%7 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
      stablehlo.return %8 : tensor<f64>
    }, {
      %6 = stablehlo.cosine %3 : tensor<5xf64>
      %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.multiply across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
      stablehlo.return %7 : tensor<f64>
    }) : (tensor<i32>) -> tensor<f64>
    return %5 : tensor<f64>
  }
}
