// test partition
// test equal seeds=2
// Bits are a cipher of a counter: every device begins at the counter of its first row. The state goes on by what the whole array takes.
sdy.mesh @m = <["x"=4]>
func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<64x8xui32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %next, %bits = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<64x8xui32>)
  return %next, %bits : tensor<2xui64>, tensor<64x8xui32>
}
//| --- partition
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4]>
//|   func.func public @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<16x8xui32>) {
//|     %0 = stablehlo.partition_id : tensor<ui32>
//|     %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
//|     %2 = stablehlo.slice %s [0:1] : (tensor<2xui64>) -> tensor<1xui64>
//|     %3 = stablehlo.reshape %2 : (tensor<1xui64>) -> tensor<ui64>
//|     %4 = stablehlo.slice %s [1:2] : (tensor<2xui64>) -> tensor<1xui64>
//|     %5 = stablehlo.reshape %4 : (tensor<1xui64>) -> tensor<ui64>
//|     %6 = stablehlo.constant dense<128> : tensor<ui64>
//|     %7 = stablehlo.add %5, %6 : tensor<ui64>
//|     %8 = stablehlo.reshape %7 : (tensor<ui64>) -> tensor<1xui64>
//|     %next = stablehlo.concatenate %2, %8, dim = 0 : (tensor<1xui64>, tensor<1xui64>) -> tensor<2xui64>
//|     %9 = stablehlo.convert %1 : (tensor<i32>) -> tensor<ui64>
//|     %10 = stablehlo.constant dense<16> : tensor<ui64>
//|     %11 = stablehlo.multiply %9, %10 : tensor<ui64>
//|     %12 = stablehlo.constant dense<8> : tensor<ui64>
//|     %13 = stablehlo.multiply %11, %12 : tensor<ui64>
//|     %14 = stablehlo.constant dense<4> : tensor<ui64>
//|     %15 = stablehlo.divide %13, %14 : tensor<ui64>
//|     %16 = stablehlo.add %5, %15 : tensor<ui64>
//|     %17 = stablehlo.compare LT, %16, %5 : (tensor<ui64>, tensor<ui64>) -> tensor<i1>
//|     %18 = stablehlo.convert %17 : (tensor<i1>) -> tensor<ui64>
//|     %19 = stablehlo.add %3, %18 : tensor<ui64>
//|     %20 = stablehlo.reshape %16 : (tensor<ui64>) -> tensor<1xui64>
//|     %21 = stablehlo.reshape %19 : (tensor<ui64>) -> tensor<1xui64>
//|     %22 = stablehlo.concatenate %2, %20, %21, dim = 0 : (tensor<1xui64>, tensor<1xui64>, tensor<1xui64>) -> tensor<3xui64>
//|     %23:2 = stablehlo.rng_bit_generator %22, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<128xui32>)
//|     %bits = stablehlo.reshape %23#1 : (tensor<128xui32>) -> tensor<16x8xui32>
//|     return %next, %bits : tensor<2xui64>, tensor<16x8xui32>
//|   }
//| }
//| --- equal seeds=2
