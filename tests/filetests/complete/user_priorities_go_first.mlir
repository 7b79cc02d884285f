// test complete values
// test complete notes
// The batch (p0) is everywhere before the model's axis (p1) is looked at: `x` wins where both want a dim.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}p1, {?}p1]>},
    %b: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}
) -> tensor<4x8xf32> {
  %t = stablehlo.tanh %a : tensor<4x8xf32>
  %u = stablehlo.tanh %t : tensor<4x8xf32>
  %s = stablehlo.add %u, %b : tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}
//| --- complete values
//| %a [{"y"}, {}]
//| %b [{"x"}, {}]
//| %t [{"x"}, {}]
//| %u [{"x"}, {}]
//| %s [{"x"}, {}]
//| --- complete notes
//| note[N0410]: dim 0 of `%a` is split over `y` and dim 0 of `%t` over `x`, though they are one dim here
//|   --> complete/user_priorities_go_first.mlir:9:3
//|    = note: `y` comes from dim 0 of `%a`; `x` comes from dim 0 of `%b`
//|    = help: annotate one of the values between them to say where the sharding changes
