// test run
// Bits that are a signaling NaN as a float, or one with a payload, come back: through every width, and every op that moves.
func.func public @main() -> (tensor<2x2xui32>, tensor<4xui32>, tensor<2x2xui16>, tensor<2x2xui16>, tensor<2x2xui8>) {
  %a = stablehlo.constant dense<[[2139095041, 4286578689], [2141889477, 4294967295]]> : tensor<2x2xui32>
  %f = stablehlo.bitcast_convert %a : (tensor<2x2xui32>) -> tensor<2x2xf32>
  %t = stablehlo.transpose %f, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %u = stablehlo.bitcast_convert %t : (tensor<2x2xf32>) -> tensor<2x2xui32>
  %z = stablehlo.slice %f [0:1, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
  %r = stablehlo.reverse %f, dims = [0] : tensor<2x2xf32>
  %s = stablehlo.slice %r [0:1, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
  %c = stablehlo.concatenate %z, %s, dim = 1 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32>
  %e = stablehlo.reshape %c : (tensor<1x4xf32>) -> tensor<4xf32>
  %v = stablehlo.bitcast_convert %e : (tensor<4xf32>) -> tensor<4xui32>
  %b = stablehlo.constant dense<[[32641, 65409], [32705, 65535]]> : tensor<2x2xui16>
  %bf = stablehlo.bitcast_convert %b : (tensor<2x2xui16>) -> tensor<2x2xbf16>
  %bt = stablehlo.transpose %bf, dims = [1, 0] : (tensor<2x2xbf16>) -> tensor<2x2xbf16>
  %bu = stablehlo.bitcast_convert %bt : (tensor<2x2xbf16>) -> tensor<2x2xui16>
  %h = stablehlo.constant dense<[[31745, 64513], [32261, 65535]]> : tensor<2x2xui16>
  %hf = stablehlo.bitcast_convert %h : (tensor<2x2xui16>) -> tensor<2x2xf16>
  %ht = stablehlo.transpose %hf, dims = [1, 0] : (tensor<2x2xf16>) -> tensor<2x2xf16>
  %hu = stablehlo.bitcast_convert %ht : (tensor<2x2xf16>) -> tensor<2x2xui16>
  %q = stablehlo.constant dense<[[125, 126], [253, 255]]> : tensor<2x2xui8>
  %qf = stablehlo.bitcast_convert %q : (tensor<2x2xui8>) -> tensor<2x2xf8E5M2>
  %qt = stablehlo.transpose %qf, dims = [1, 0] : (tensor<2x2xf8E5M2>) -> tensor<2x2xf8E5M2>
  %qu = stablehlo.bitcast_convert %qt : (tensor<2x2xf8E5M2>) -> tensor<2x2xui8>
  return %u, %v, %bu, %hu, %qu : tensor<2x2xui32>, tensor<4xui32>, tensor<2x2xui16>, tensor<2x2xui16>, tensor<2x2xui8>
}
//| 0: u32[2,2] [[2139095041, 2141889477], [4286578689, 4294967295]]
//| 1: u32[4] [2139095041, 4286578689, 2141889477, 4294967295]
//| 2: u16[2,2] [[32641, 32705], [65409, 65535]]
//| 3: u16[2,2] [[31745, 32261], [64513, 65535]]
//| 4: u8[2,2] [[125, 253], [126, 255]]
