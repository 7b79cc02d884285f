// test parse
// A location is refused where it reads as none, once the program itself has been read.
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.negate %a : tensor<4xf32> loc(#nowhere) //~ ERROR location `#nowhere` is not defined
  %1 = stablehlo.negate %a : tensor<4xf32> loc(here) //~ ERROR expected a location, found `here`
  %2 = stablehlo.negate %a : tensor<4xf32> loc("a.py":99999999999:1) //~ ERROR a line or column is out of range
  return
}
