// test parse
// An alias of a type stands before the module and is not read.
!t = tensor<4xf32> //~ ERROR type aliases are not supported
func.func @main(%a: !t) {
  return
}
