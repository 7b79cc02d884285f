// test rule OptimizationBarrier Token
// Each operand of a barrier passes to its result; what leaves or enters does so whole.
func.func public @main(%x: tensor<4x6xf32>, %y: tensor<6xf32>) -> tensor<4x6xf32> {
  %a, %b = stablehlo.optimization_barrier %x, %y : tensor<4x6xf32>, tensor<6xf32>
  %t = stablehlo.create_token : !stablehlo.token
  %o = "stablehlo.outfeed"(%b, %t) <{outfeed_config = ""}> : (tensor<6xf32>, !stablehlo.token) -> !stablehlo.token
  return %a : tensor<4x6xf32>
}
//| %a, %b = optimization_barrier: ([i, j], [k])->([i, j], [k]) {i=4, j=6, k=6}
//| %t = after_all: ()->([]) {}
//| %o = outfeed: ([i], [])->([]) {i=6} need_replication={i}
