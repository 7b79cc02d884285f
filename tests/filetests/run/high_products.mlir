// test run
// The upper halves of products of 64 bits, at the edges of what 64 bits hold.
func.func public @main() -> (tensor<4xi64>, tensor<4xui64>) {
  %a = stablehlo.constant dense<[-9223372036854775808, -1, 9223372036854775807, 81985529216486895]> : tensor<4xi64>
  %b = stablehlo.constant dense<[-9223372036854775808, -1, -9223372036854775808, -1147797409030816545]> : tensor<4xi64>
  %0 = chlo.mulhi %a, %b : tensor<4xi64>, tensor<4xi64> -> tensor<4xi64>
  %c = stablehlo.constant dense<[18446744073709551615, 4294967296, 18446744073709551615, 81985529216486895]> : tensor<4xui64>
  %d = stablehlo.constant dense<[18446744073709551615, 4294967295, 2, 17298946664678735071]> : tensor<4xui64>
  %1 = chlo.mulhi %c, %d : tensor<4xui64>, tensor<4xui64> -> tensor<4xui64>
  return %0, %1 : tensor<4xi64>, tensor<4xui64>
}
//| 0: s64[4] [4611686018427387904, 0, -4611686018427387904, -5101321817914741]
//| 1: u64[4] [18446744073709551614, 0, 1, 76884207398572154]
