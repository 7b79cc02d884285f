// test partition
// Tokens order what one program does; from one program to the next there is nothing to hand on.
module @ordered { //~? ERROR @main takes a token (number 0), and a partitioned program takes and returns arrays only
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%t: !stablehlo.token, %x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (!stablehlo.token, tensor<4xf32>) {
    return %t, %x : !stablehlo.token, tensor<4xf32>
  }
}
