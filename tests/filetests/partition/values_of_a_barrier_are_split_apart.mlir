// test partition
// test equal devices=2
// The values that pass a barrier have nothing to do with each other: both keep their split over one axis, nothing moves.
module {
  sdy.mesh @m = <["x"=2]>
  func.func public @main(%a: tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<2x6xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<2x6xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) {
    %0:2 = stablehlo.optimization_barrier %a, %b : tensor<4x3xf32>, tensor<2x6xf32>
    return %0#0, %0#1 : tensor<4x3xf32>, tensor<2x6xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=2]>
//|   func.func public @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
//|     %0:2 = stablehlo.optimization_barrier %a, %b : tensor<2x3xf32>, tensor<2x3xf32>
//|     return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xf32>
//|   }
//| }
//| --- equal devices=2
