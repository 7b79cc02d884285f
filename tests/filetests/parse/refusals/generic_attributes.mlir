// test parse
// The attributes of the last op with regions are reported once, though they are read as the module's too.
"builtin.module"() ({
  "func.func"() <{sym_name = "main"}> ({
  ^bb0(%a: tensor<4xf32>):
    %0 = "stablehlo.sort"(%a) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = "stablehlo.compare"(%x, %y) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%1) : (tensor<i1>) -> ()
    }) {x.y = ;} : (tensor<4xf32>) -> tensor<4xf32> //~ ERROR expected an attribute value, found ";", which is no token
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
