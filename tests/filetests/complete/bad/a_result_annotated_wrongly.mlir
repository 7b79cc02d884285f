// test complete
// Results are named by their number.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"x"}]>}) { //~ ERROR result 0: axis `x` is used by dim 0 and by dim 1
  return %a : tensor<8x8xf32>
}
