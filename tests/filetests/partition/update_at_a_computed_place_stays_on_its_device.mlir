// test partition
// test equal devices=4
// Each device takes what of the update falls into its rows; nothing is sent.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %u: tensor<2x8xf32>, %i: tensor<i32>) -> (tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_update_slice %a, %u, %i, %zero : (tensor<10x8xf32>, tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<10x8xf32>
    return %0 : tensor<10x8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<3x8xf32>, %u: tensor<2x8xf32>, %i: tensor<i32>) -> tensor<3x8xf32> {
//|     %1 = stablehlo.partition_id : tensor<ui32>
//|     %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
//|     %zero = stablehlo.constant dense<0> : tensor<i32>
//|     %3 = stablehlo.constant dense<8> : tensor<i32>
//|     %4 = stablehlo.clamp %zero, %i, %3 : tensor<i32>
//|     %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %6 = stablehlo.pad %a, %5, low = [2, 0], high = [2, 0], interior = [0, 0] : (tensor<3x8xf32>, tensor<f32>) -> tensor<7x8xf32>
//|     %7 = stablehlo.constant dense<3> : tensor<i32>
//|     %8 = stablehlo.multiply %2, %7 : tensor<i32>
//|     %9 = stablehlo.constant dense<2> : tensor<i32>
//|     %10 = stablehlo.subtract %4, %8 : tensor<i32>
//|     %11 = stablehlo.add %10, %9 : tensor<i32>
//|     %12 = stablehlo.dynamic_update_slice %6, %u, %11, %zero : (tensor<7x8xf32>, tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<7x8xf32>
//|     %0 = stablehlo.slice %12 [2:5, 0:8] : (tensor<7x8xf32>) -> tensor<3x8xf32>
//|     return %0 : tensor<3x8xf32>
//|   }
//| }
//| --- equal devices=4
