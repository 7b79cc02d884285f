// test collectives
// Over 4 devices, fetching would send three pieces and merging between neighbours sends four; but nobody has room for a quarter
// of a gigabyte of keys before and after.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<33554432xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<33554432xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<33554432xf32>) -> tensor<33554432xf32>
    return %0 : tensor<33554432xf32>
  }
}
//| 4 permute: 134217728 bytes
//| 0 flops in contractions
