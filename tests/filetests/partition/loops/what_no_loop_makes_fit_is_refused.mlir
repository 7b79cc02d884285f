// test partition memory-limit=100000
// The weight is on every device; nothing that a loop could put off is as large.
module { //~? ERROR error[E0540]: the program needs
  sdy.mesh @m = <["x"=8]>
  func.func public @main(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<64x512xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) -> (tensor<64x512xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %h = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
    return %h : tensor<64x512xf32>
  }
}
