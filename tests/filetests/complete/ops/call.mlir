// test complete values
// Through the callee's body; each call has its own copy.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %f0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %b0: tensor<4x6xf32>
) -> (
    tensor<4x6xf32>,
    tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}
) {
  %fout = call @wave(%f0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %bout = call @wave(%b0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %fout, %bout : tensor<4x6xf32>, tensor<4x6xf32>
}
func.func private @wave(%p: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %q = stablehlo.sine %p : tensor<4x6xf32>
  return %q : tensor<4x6xf32>
}
//| %f0 [{"x"}, {"y"}]
//| %b0 [{"y"}, {"x"}]
//| %fout [{"x"}, {"y"}]
//| %bout [{"y"}, {"x"}]
//| %p [{"x"}, {"y"}]
//| %q [{"x"}, {"y"}]
//| %p [{"y"}, {"x"}]
//| %q [{"y"}, {"x"}]
