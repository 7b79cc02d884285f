// test run
// The region computes in ui32, so a sum of bytes may pass 255; likewise in a window.
func.func public @main() -> (tensor<ui32>, tensor<2xui32>) {
  %x = stablehlo.constant dense<[200, 100, 7]> : tensor<3xui8>
  %zero = stablehlo.constant dense<0> : tensor<ui32>
  %0 = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<3xui8>, tensor<ui32>) -> tensor<ui32>
   reducer(%a: tensor<ui32>, %b: tensor<ui32>)  {
    %2 = stablehlo.add %a, %b : tensor<ui32>
    stablehlo.return %2 : tensor<ui32>
  }
  %1 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<ui32>, %b: tensor<ui32>):
    %2 = stablehlo.add %a, %b : tensor<ui32>
    stablehlo.return %2 : tensor<ui32>
  }) : (tensor<3xui8>, tensor<ui32>) -> tensor<2xui32>
  return %0, %1 : tensor<ui32>, tensor<2xui32>
}
//| 0: u32[] 307
//| 1: u32[2] [300, 107]
