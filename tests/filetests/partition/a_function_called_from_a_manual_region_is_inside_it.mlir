// test equal
// The loop in @local is made of constants alone. It is local like all that stands in the region, which calls it.
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8xi32>) -> (tensor<8xi32>, tensor<i32>) {
    %r:2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"y"}]>, <@mesh, []>] manual_axes={"x", "y"} (%b: tensor<4xi32>) {
      %w:2 = func.call @local(%b) : (tensor<4xi32>) -> (tensor<4xi32>, tensor<i32>)
      sdy.return %w#0, %w#1 : tensor<4xi32>, tensor<i32>
    } : (tensor<8xi32>) -> (tensor<8xi32>, tensor<i32>)
    return %r#0, %r#1 : tensor<8xi32>, tensor<i32>
  }
  func.func private @local(%b: tensor<4xi32>) -> (tensor<4xi32>, tensor<i32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %steps:2 = stablehlo.while(%i = %zero, %j = %zero) : tensor<i32>, tensor<i32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %n = stablehlo.add %i, %one : tensor<i32>
      %m = stablehlo.add %j, %i : tensor<i32>
      stablehlo.return %n, %m : tensor<i32>, tensor<i32>
    }
    return %b, %steps#1 : tensor<4xi32>, tensor<i32>
  }
}
