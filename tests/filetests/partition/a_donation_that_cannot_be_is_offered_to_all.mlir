// test equal
// Both are annotated, and differently: the parameter's buffer is no longer that of result 0.
module @donated {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%state: tensor<8x16xf32> {tf.aliasing_output = 0 : i32, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
    %new = stablehlo.multiply %state, %state : tensor<8x16xf32>
    return %new : tensor<8x16xf32>
  }
}
