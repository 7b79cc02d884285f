// test collectives
// test collectives priorities-alone
// test equal
// The choice is known, which planning does not see: by cost nothing is sent either.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<2x3x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {"x"}]>}, %arg1: tensor<2x3x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(2)2}, {}]>}) -> (tensor<2x3x2xi1>, tensor<2x3x1xi1>) {
    %0 = stablehlo.slice %arg1 [0:2, 0:3, 1:2] : (tensor<2x3x2xi1>) -> tensor<2x3x1xi1>
    %1 = stablehlo.constant dense<true> : tensor<i1>
    %2 = stablehlo.select %1, %arg1, %arg0 : tensor<i1>, tensor<2x3x2xi1>
    return %2, %0 : tensor<2x3x2xi1>, tensor<2x3x1xi1>
  }
}
//| --- collectives
//| 0 flops in contractions
//| --- collectives priorities-alone
//| 0 flops in contractions
//| --- equal
