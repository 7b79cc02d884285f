// test verify
// What a function returns is what its signature says.
func.func public @main(%a: tensor<4xf32>) -> tensor<5xf32> { //~ ERROR returns (f32[4]), but is declared to return (f32[5])
  return %a : tensor<4xf32>
}
