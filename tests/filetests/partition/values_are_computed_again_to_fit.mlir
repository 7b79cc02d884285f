// test partition memory-limit=28672
// test equal memory-limit=28672
// What the backward half needs of the forward half is computed again behind barriers: pieces of 4 kB, seven at a time.
sdy.mesh @m = <["x"=2]>
func.func public @main(%x0: tensor<256x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<256x8xf32> {
  %d0 = stablehlo.sine %x0 : tensor<256x8xf32>
  %x1 = stablehlo.tanh %d0 : tensor<256x8xf32>
  %d1 = stablehlo.sine %x1 : tensor<256x8xf32>
  %x2 = stablehlo.tanh %d1 : tensor<256x8xf32>
  %d2 = stablehlo.sine %x2 : tensor<256x8xf32>
  %x3 = stablehlo.tanh %d2 : tensor<256x8xf32>
  %d3 = stablehlo.sine %x3 : tensor<256x8xf32>
  %x4 = stablehlo.tanh %d3 : tensor<256x8xf32>
  %g4 = stablehlo.exponential %x4 : tensor<256x8xf32>
  %m3 = stablehlo.multiply %g4, %d3 : tensor<256x8xf32>
  %g3 = stablehlo.add %m3, %x3 : tensor<256x8xf32>
  %m2 = stablehlo.multiply %g3, %d2 : tensor<256x8xf32>
  %g2 = stablehlo.add %m2, %x2 : tensor<256x8xf32>
  %m1 = stablehlo.multiply %g2, %d1 : tensor<256x8xf32>
  %g1 = stablehlo.add %m1, %x1 : tensor<256x8xf32>
  %m0 = stablehlo.multiply %g1, %d0 : tensor<256x8xf32>
  %g0 = stablehlo.add %m0, %x0 : tensor<256x8xf32>
  return %g0 : tensor<256x8xf32>
}
//| --- partition memory-limit=28672
//| module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=2]>
//|   func.func public @main(%x0: tensor<128x8xf32>) -> tensor<128x8xf32> {
//|     %d0 = stablehlo.sine %x0 : tensor<128x8xf32>
//|     %x1 = stablehlo.tanh %d0 : tensor<128x8xf32>
//|     %d1 = stablehlo.sine %x1 : tensor<128x8xf32>
//|     %x2 = stablehlo.tanh %d1 : tensor<128x8xf32>
//|     %d2 = stablehlo.sine %x2 : tensor<128x8xf32>
//|     %x3 = stablehlo.tanh %d2 : tensor<128x8xf32>
//|     %d3 = stablehlo.sine %x3 : tensor<128x8xf32>
//|     %x4 = stablehlo.tanh %d3 : tensor<128x8xf32>
//|     %g4 = stablehlo.exponential %x4 : tensor<128x8xf32>
//|     %m3 = stablehlo.multiply %g4, %d3 : tensor<128x8xf32>
//|     %g3 = stablehlo.add %m3, %x3 : tensor<128x8xf32>
//|     %0 = stablehlo.optimization_barrier %x2 : tensor<128x8xf32>
//|     %1 = stablehlo.sine %0 : tensor<128x8xf32>
//|     %m2 = stablehlo.multiply %g3, %1 : tensor<128x8xf32>
//|     %g2 = stablehlo.add %m2, %x2 : tensor<128x8xf32>
//|     %2 = stablehlo.optimization_barrier %x1 : tensor<128x8xf32>
//|     %3 = stablehlo.sine %2 : tensor<128x8xf32>
//|     %m1 = stablehlo.multiply %g2, %3 : tensor<128x8xf32>
//|     %g1 = stablehlo.add %m1, %x1 : tensor<128x8xf32>
//|     %4 = stablehlo.optimization_barrier %x0 : tensor<128x8xf32>
//|     %5 = stablehlo.sine %4 : tensor<128x8xf32>
//|     %m0 = stablehlo.multiply %g1, %5 : tensor<128x8xf32>
//|     %g0 = stablehlo.add %m0, %x0 : tensor<128x8xf32>
//|     return %g0 : tensor<128x8xf32>
//|   }
//| }
//| --- equal memory-limit=28672
