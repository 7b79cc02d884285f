// test parse
// The short form of an op is refused where a mark, a word or a location of it does not read.
func.func @main(%a: tensor<4xf32>, %p: tensor<4xi1>) {
  %0 = stablehlo.gather %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> //~ ERROR expected the generic form of this op, in quotes: "stablehlo.gather", found `%a`
  %1 = stablehlo.select %p, %a, %a -> tensor<4xf32> //~ ERROR expected `:`, found `->`
  %2 = stablehlo.negate %a -> tensor<4xf32> //~ ERROR expected `:`, found `->`
  %3 = stablehlo.reduce_precision %a, format = f16 : tensor<4xf32> //~ ERROR a format is written as `e5m10`
  %4 = stablehlo.negate %a : tensor<4xf32> loc(;) //~ ERROR expected a location, found ";", which is no token
  %5 = stablehlo.reverse %a, dims = [x] : tensor<4xf32> //~ ERROR expected a number, found `x`
  return
}
