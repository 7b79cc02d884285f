// test cpu-steps place_carries
// The product reads the carry until it is done: it cannot be made there.
func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %most = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.while(%c = %x) : tensor<2x2xf32>
    cond {
      %s = stablehlo.slice %c [0:1, 0:1] : (tensor<2x2xf32>) -> tensor<1x1xf32>
      %r = stablehlo.reshape %s : (tensor<1x1xf32>) -> tensor<f32>
      %go = stablehlo.compare LT, %r, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %t = stablehlo.dot_general %c, %c, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
      stablehlo.return %t : tensor<2x2xf32>
    }
  return %0 : tensor<2x2xf32>
}
//| unchanged
