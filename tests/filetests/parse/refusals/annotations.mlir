// test parse
// An annotation is refused where it is none, or where its parts do not fit the results.
sdy.mesh @mesh = <["x"=2]>

func.func @main(%a: tensor<4xf32>, %t: tensor<4xi1>) {
  %0 = stablehlo.negate %a {sdy.sharding = 3} : tensor<4xf32> //~ ERROR attribute `sdy.sharding` must be #sdy.sharding_per_value<[..]>
  %1 = stablehlo.negate %a {mhlo.sharding = 3} : tensor<4xf32> //~ ERROR attribute `mhlo.sharding` must be a string
  %2 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{}]>]>} : tensor<4xf32> //~ ERROR 2 shardings for 1 results
  %3 = stablehlo.negate %a {mhlo.sharding = "{{replicated}, {replicated}}"} : tensor<4xf32> //~ ERROR 2 shardings for 1 results
  return
}

func.func @f(%a: tensor<4xf32> {sdy.sharding = 3}) { //~ ERROR attribute `sdy.sharding` must be #sdy.sharding<..>
  return
}

func.func @g(%a: tensor<4xf32> {tf.aliasing_output = -1 : i32}) { //~ ERROR attribute `tf.aliasing_output` must be the number of a result
  return
}
