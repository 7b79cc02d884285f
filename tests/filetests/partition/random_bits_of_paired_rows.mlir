// test partition
// test equal seeds=2
// Threefry makes two elements of a block, neighbours along the first even dim: rows 3 to 5 begin with the second of one.
sdy.mesh @m = <["x"=4]>
func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<12x5xui32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %next, %bits = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<12x5xui32>)
  return %next, %bits : tensor<2xui64>, tensor<12x5xui32>
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>) {
//|     %0 = stablehlo.partition_id : tensor<ui32>
//|     %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
//|     %2 = stablehlo.slice %s [0:1] : (tensor<2xui64>) -> tensor<1xui64>
//|     %3 = stablehlo.slice %s [1:2] : (tensor<2xui64>) -> tensor<1xui64>
//|     %4 = stablehlo.reshape %3 : (tensor<1xui64>) -> tensor<ui64>
//|     %5 = stablehlo.constant dense<30> : tensor<ui64>
//|     %6 = stablehlo.add %4, %5 : tensor<ui64>
//|     %7 = stablehlo.reshape %6 : (tensor<ui64>) -> tensor<1xui64>
//|     %next = stablehlo.concatenate %2, %7, dim = 0 : (tensor<1xui64>, tensor<1xui64>) -> tensor<2xui64>
//|     %8 = stablehlo.convert %1 : (tensor<i32>) -> tensor<ui64>
//|     %9 = stablehlo.constant dense<3> : tensor<ui64>
//|     %10 = stablehlo.multiply %8, %9 : tensor<ui64>
//|     %11 = stablehlo.constant dense<2> : tensor<ui64>
//|     %12 = stablehlo.divide %10, %11 : tensor<ui64>
//|     %13 = stablehlo.constant dense<5> : tensor<ui64>
//|     %14 = stablehlo.multiply %12, %13 : tensor<ui64>
//|     %15 = stablehlo.remainder %10, %11 : tensor<ui64>
//|     %16 = stablehlo.convert %15 : (tensor<ui64>) -> tensor<i32>
//|     %17 = stablehlo.constant dense<0> : tensor<i32>
//|     %18 = stablehlo.add %4, %14 : tensor<ui64>
//|     %19 = stablehlo.reshape %18 : (tensor<ui64>) -> tensor<1xui64>
//|     %20 = stablehlo.concatenate %2, %19, dim = 0 : (tensor<1xui64>, tensor<1xui64>) -> tensor<2xui64>
//|     %21:2 = stablehlo.rng_bit_generator %20, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x10xui32>)
//|     %22 = stablehlo.reshape %21#1 : (tensor<2x10xui32>) -> tensor<2x1x2x5xui32>
//|     %23 = stablehlo.transpose %22, dims = [1, 2, 0, 3] : (tensor<2x1x2x5xui32>) -> tensor<1x2x2x5xui32>
//|     %24 = stablehlo.reshape %23 : (tensor<1x2x2x5xui32>) -> tensor<1x4x5xui32>
//|     %25 = stablehlo.dynamic_slice %24, %17, %16, %17, sizes = [1, 3, 5] : (tensor<1x4x5xui32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x5xui32>
//|     %bits = stablehlo.reshape %25 : (tensor<1x3x5xui32>) -> tensor<3x5xui32>
//|     return %next, %bits : tensor<2xui64>, tensor<3x5xui32>
//|   }
//| }
//| --- equal seeds=2
