// test partition
// A program that was differentiated still has the original beside it: nobody calls that, so it is not partitioned.
sdy.mesh @m = <["x"=2]>
func.func private @loss(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.sine %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func public @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.cosine %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
//| module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=2]>
//|   func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
//|     %0 = stablehlo.cosine %x : tensor<4xf32>
//|     return %0 : tensor<4xf32>
//|   }
//| }
