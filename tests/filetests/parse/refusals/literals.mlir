// test parse
// A literal is refused where its elements do not read or do not fill the type.
func.func @main() {
  %0 = stablehlo.constant dense 3 : tensor<i32> //~ ERROR expected `<`, found `3`
  %1 = stablehlo.constant dense<"abc"> : tensor<3xi8> //~ ERROR a string literal here must be hex bytes, as "0x00FF"
  %2 = stablehlo.constant dense<1, 2> : tensor<2xi32> //~ ERROR a splat is one element; lists are written in brackets
  %3 = stablehlo.constant dense<[1]> : tensor<0xi32> //~ ERROR found elements that do not fit s32[0], which has 0
  %4 = stablehlo.constant dense<"0x123"> : tensor<2xi8> //~ ERROR hex data must be an even number of hex digits
  %5 = stablehlo.constant dense<"0x0011"> : tensor<3xi8> //~ ERROR the data has 2 bytes, but s8[3] has 3 elements of 1 bytes
  %6 = stablehlo.constant dense<1.0> : tensor<complex<f32>> //~ ERROR a complex element is written `(re,im)`
  %7 = stablehlo.constant dense<(1.0 2.0)> : tensor<complex<f32>> //~ ERROR expected `,` between the two parts of a complex element
  %8 = stablehlo.constant dense<(1.0, 2.0> : tensor<complex<f32>> //~ ERROR expected `)` after a complex element
  %9 = stablehlo.constant 3 : i32 //~ ERROR a constant needs a literal, as `dense<0> : tensor<2xi32>`
  %10 = stablehlo.constant dense<[1]]> : tensor<1xi32> //~ ERROR no list is open here
  return
}
