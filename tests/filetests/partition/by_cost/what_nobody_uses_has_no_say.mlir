// test collectives
// test collectives priorities-alone
// test equal
// The smallest and its place are not used: split as they would like it, the branches would send 140 bytes.
module {
  sdy.mesh @mesh = <["x"=3, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1> {sdy.sharding = #sdy.sharding<@mesh, []>}, %arg1: tensor<6x3x10xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x"}, {}, {}]>}, %arg2: tensor<6x3x10xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z"}, {}]>}) -> tensor<6x3x10xui8> {
    %0 = "stablehlo.if"(%arg0) ({
      %1 = stablehlo.iota dim = 0 : tensor<6x3x10xi32>
      %2 = stablehlo.constant dense<255> : tensor<ui8>
      %3 = stablehlo.constant dense<1000> : tensor<i32>
      %4:2 = stablehlo.reduce(%arg1 init: %2), (%1 init: %3) across dimensions = [0] : (tensor<6x3x10xui8>, tensor<6x3x10xi32>, tensor<ui8>, tensor<i32>) -> (tensor<3x10xui8>, tensor<3x10xi32>)
       reducer(%arg4: tensor<ui8>, %arg6: tensor<ui8>) (%arg5: tensor<i32>, %arg7: tensor<i32>)  {
        %6 = stablehlo.compare LT, %arg4, %arg6 : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
        %7 = stablehlo.compare EQ, %arg4, %arg6 : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
        %8 = stablehlo.compare LT, %arg5, %arg7 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %9 = stablehlo.and %7, %8 : tensor<i1>
        %10 = stablehlo.or %6, %9 : tensor<i1>
        %11 = stablehlo.select %10, %arg4, %arg6 : tensor<i1>, tensor<ui8>
        %12 = stablehlo.select %10, %arg5, %arg7 : tensor<i1>, tensor<i32>
        stablehlo.return %11, %12 : tensor<ui8>, tensor<i32>
      }
      stablehlo.return %arg1 : tensor<6x3x10xui8>
    }, {
      stablehlo.return %arg2 : tensor<6x3x10xui8>
    }) : (tensor<i1>) -> tensor<6x3x10xui8>
    return %0 : tensor<6x3x10xui8>
  }
}
//| --- collectives
//| 1 all-to-all over {"z"}: 60 bytes
//| 0 flops in contractions
//| --- collectives priorities-alone
//| 1 all-to-all over {"z"}: 60 bytes
//| 0 flops in contractions
//| --- equal
