// test rule Foreign
// Nothing is known of a foreign call, nor of a composite but by its decomposition: all dims stay together.
func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.custom_call @mine(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %d = stablehlo.composite "my.op" %c {decomposition = @body} : (tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}
func.func private @body(%p: tensor<4xf32>) -> tensor<4xf32> {
  return %p : tensor<4xf32>
}
//| %c = custom_call: ([i])->([j]) {i=4, j=4} need_replication={i, j}
//| %d = composite: ([i])->([j]) {i=4, j=4} need_replication={i, j}
