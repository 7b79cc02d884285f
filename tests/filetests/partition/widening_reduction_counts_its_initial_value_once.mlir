// test equal seeds=3
// A sum of i32 kept in i64 starts from its initial value on one device only.
module {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<4x2x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}, %init: tensor<i64>) -> tensor<2x2xi64> {
    %0 = stablehlo.reduce(%a init: %init) across dimensions = [0] : (tensor<4x2x2xi32>, tensor<i64>) -> tensor<2x2xi64>
     reducer(%x: tensor<i64>, %y: tensor<i64>)  {
      %1 = stablehlo.add %x, %y : tensor<i64>
      stablehlo.return %1 : tensor<i64>
    }
    return %0 : tensor<2x2xi64>
  }
}
