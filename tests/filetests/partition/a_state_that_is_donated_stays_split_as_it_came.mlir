// test collectives
// test equal
// The result would be split over y by what it is computed with; it takes over the buffer of a parameter split over x.
module @donated {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%state: tensor<8x16xf32> {tf.aliasing_output = 0 : i32, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %grad: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> tensor<8x16xf32> {
    %new = stablehlo.multiply %grad, %grad : tensor<8x16xf32>
    %pinned = sdy.sharding_constraint %new <@mesh, [{}, {"y"}]> : tensor<8x16xf32>
    return %pinned : tensor<8x16xf32>
  }
}
//| --- collectives
//| 1 all-gather over {"y"}: 192 bytes
//| 0 flops in contractions
//| --- equal
