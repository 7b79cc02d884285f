// test collectives
// test equal seeds=2
// Two lines are each brought to 0..1 (as a histogram of two lines does): the ends of one do not depend on those of the other. One
// all-reduce has both least, one both greatest, though the first line is used before the second is looked at.
module {
  sdy.mesh @m = <["x"=4]>
  func.func private @scaled(%v: tensor<16xf32>) -> tensor<16xf32> {
    %inf = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %least = stablehlo.reduce(%v init: %inf) applies stablehlo.minimum across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %most = stablehlo.reduce(%v init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %from = stablehlo.broadcast_in_dim %least, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %to = stablehlo.broadcast_in_dim %most, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %above = stablehlo.subtract %v, %from : tensor<16xf32>
    %way = stablehlo.subtract %to, %from : tensor<16xf32>
    %part = stablehlo.divide %above, %way : tensor<16xf32>
    return %part : tensor<16xf32>
  }
  func.func public @main(
      %a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>},
      %b: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}
  ) -> tensor<16xf32> {
    %0 = call @scaled(%a) : (tensor<16xf32>) -> tensor<16xf32>
    %1 = call @scaled(%b) : (tensor<16xf32>) -> tensor<16xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<16xf32>
    return %2 : tensor<16xf32>
  }
}
//| --- collectives
//| 2 all-reduce over {"x"}: 24 bytes
//| 0 flops in contractions
//| --- equal seeds=2
