// test equal devices=2 seeds=3
// The named part states one operand split and one whole: what it multiplies is cut inside, as it arrives whole.
sdy.mesh @m = <["x"=2]>
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = sdy.named_computation<"part">(%a, %b) in_shardings=[<@m, [{"x"}]>, <@m, [{}]>] out_shardings=[<@m, [{"x"}]>] (%x: tensor<4xf32>, %y: tensor<4xf32>) {
    %t = stablehlo.multiply %x, %y : tensor<4xf32>
    sdy.return %t : tensor<4xf32>
  } : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
