// test rule Constant Iota
// Only the result has dims. A splat's pieces are splats; other data and the counted dim are cut by hand.
func.func public @main() -> tensor<4x6xi32> {
  %splat = stablehlo.constant dense<3> : tensor<4x6xi32>
  %data = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %count = stablehlo.iota dim = 1 : tensor<4x6xi32>
  return %count : tensor<4x6xi32>
}
//| %splat = constant: ()->([i, j]) {i=4, j=6}
//| %data = constant: ()->([i]) {i=3} by_family={i}
//| %count = iota: ()->([i, j]) {i=4, j=6} by_family={j}
