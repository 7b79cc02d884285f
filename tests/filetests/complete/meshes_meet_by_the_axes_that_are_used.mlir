// test complete values
// 2x6 and 3x4 have no common refinement, but `x` and the minor half of `v` have.
sdy.mesh @first = <["x"=2, "y"=6]>
sdy.mesh @second = <["u"=3, "v"=4]>
func.func public @main(
    %a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@first, [{"x"}, {?}]>},
    %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@second, [{?}, {"v":(2)2}]>}
) -> tensor<8x8xf32> {
  %c = stablehlo.add %a, %b : tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}
//| %a [{"x"}, {"y_1"}]
//| %b [{"x"}, {"y_1"}]
//| %c [{"x"}, {"y_1"}]
