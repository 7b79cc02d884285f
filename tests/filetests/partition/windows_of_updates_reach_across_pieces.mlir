// test partition
// test equal devices=4 seeds=4
// Three rows to an update, four to a device: a piece is widened by three on both sides, and what falls there is cut off again.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<16x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %i: tensor<5x1xi32>, %u: tensor<5x3x2xf32>) -> (tensor<16x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<16x2xf32>, tensor<5x1xi32>, tensor<5x3x2xf32>) -> tensor<16x2xf32>
    return %0 : tensor<16x2xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%a: tensor<4x2xf32>, %i: tensor<5x1xi32>, %u: tensor<5x3x2xf32>) -> tensor<4x2xf32> {
//|     %2 = stablehlo.partition_id : tensor<ui32>
//|     %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i32>
//|     %4 = stablehlo.constant dense<13> : tensor<1xi32>
//|     %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<1xi32>) -> tensor<5x1xi32>
//|     %6 = stablehlo.constant dense<-20> : tensor<1xi32>
//|     %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<1xi32>) -> tensor<5x1xi32>
//|     %8 = stablehlo.constant dense<0> : tensor<5x1xi32>
//|     %9 = stablehlo.compare GE, %i, %8 : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x1xi1>
//|     %10 = stablehlo.compare LE, %i, %5 : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x1xi1>
//|     %11 = stablehlo.and %9, %10 : tensor<5x1xi1>
//|     %12 = stablehlo.select %11, %i, %7 : tensor<5x1xi1>, tensor<5x1xi32>
//|     %13 = stablehlo.constant dense<4> : tensor<i32>
//|     %14 = stablehlo.multiply %3, %13 : tensor<i32>
//|     %15 = stablehlo.constant dense<3> : tensor<i32>
//|     %16 = stablehlo.subtract %14, %15 : tensor<i32>
//|     %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<i32>) -> tensor<5x1xi32>
//|     %18 = stablehlo.subtract %12, %17 : tensor<5x1xi32>
//|     %19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %20 = stablehlo.pad %a, %19, low = [3, 0], high = [3, 0], interior = [0, 0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<10x2xf32>
//|     %21 = "stablehlo.scatter"(%20, %18, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
//|     ^bb0(%x: tensor<f32>, %y: tensor<f32>):
//|       %1 = stablehlo.add %x, %y : tensor<f32>
//|       stablehlo.return %1 : tensor<f32>
//|     }) : (tensor<10x2xf32>, tensor<5x1xi32>, tensor<5x3x2xf32>) -> tensor<10x2xf32>
//|     %0 = stablehlo.slice %21 [3:7, 0:2] : (tensor<10x2xf32>) -> tensor<4x2xf32>
//|     return %0 : tensor<4x2xf32>
//|   }
//| }
//| --- equal devices=4 seeds=4
