// test partition
// test equal seeds=3
// The mesh has its own device order: a device's place in it is looked up, and rows end up where the order says.
module {
  sdy.mesh @m = <["x"=4], device_ids=[2, 0, 3, 1]>
  func.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    %1 = stablehlo.add %a, %0 : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4], device_ids=[2, 0, 3, 1]>
//|   func.func public @main(%a: tensor<8xf32>) -> tensor<2xf32> {
//|     %2 = stablehlo.partition_id : tensor<ui32>
//|     %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i32>
//|     %4 = stablehlo.constant dense<[1, 3, 0, 2]> : tensor<4xi32>
//|     %5 = stablehlo.dynamic_slice %4, %3, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
//|     %6 = stablehlo.reshape %5 : (tensor<1xi32>) -> tensor<i32>
//|     %7 = stablehlo.iota dim = 0 : tensor<2xf32>
//|     %8 = stablehlo.constant dense<2> : tensor<i32>
//|     %9 = stablehlo.multiply %6, %8 : tensor<i32>
//|     %10 = stablehlo.convert %9 : (tensor<i32>) -> tensor<f32>
//|     %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<2xf32>
//|     %0 = stablehlo.add %7, %11 : tensor<2xf32>
//|     %12 = stablehlo.dynamic_slice %a, %9, sizes = [2] : (tensor<8xf32>, tensor<i32>) -> tensor<2xf32>
//|     %1 = stablehlo.add %12, %0 : tensor<2xf32>
//|     return %1 : tensor<2xf32>
//|   }
//| }
//| --- equal seeds=3
