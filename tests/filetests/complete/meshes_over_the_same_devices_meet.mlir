// test complete values
// `all` is x and y: what is said over one mesh is refined by what is said over the other, and transposed orders too.
sdy.mesh @square = <["x"=4, "y"=2]>
sdy.mesh @flat = <["all"=8]>
sdy.mesh @turned = <["v"=2, "u"=4], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>
func.func public @main(
    %a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@square, [{"x", ?}, {?}]>},
    %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@flat, [{"all"}, {}]>},
    %c: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@square, [{"x"}, {?}]>},
    %d: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@turned, [{?}, {"v"}]>}
) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %e = stablehlo.add %a, %b : tensor<8x8xf32>
  %f = stablehlo.add %c, %d : tensor<8x8xf32>
  return %e, %f : tensor<8x8xf32>, tensor<8x8xf32>
}
//| %a [{"x", "y"}, {}]
//| %b [{"x", "y"}, {}]
//| %c [{"x"}, {"y"}]
//| %d [{"x"}, {"y"}]
//| %e [{"x", "y"}, {}]
//| %f [{"x"}, {"y"}]
