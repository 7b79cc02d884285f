// test parse
// Functions and meshes in the generic form are refused where a name or a list of attributes does not read.
"builtin.module"() ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>}> : () -> () //~ ERROR sdy.mesh needs the attribute `sym_name`
  "func.func"() <{sym_name = "main"}> ({
  ^bb0(%a: tensor<4xf32>):
    "func.return"(%a) : (tensor<4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4xf32>) -> ()}> ({ //~ ERROR func.func needs the attribute `sym_name`
  ^bb0(%a: tensor<4xf32>):
    "func.return"() : () -> ()
  }) : () -> ()
  "func.func"() <{sym_name = "f", arg_attrs = 3}> ({ //~ ERROR attribute `arg_attrs` must be a list of dictionaries
  ^bb0(%a: tensor<4xf32>):
    "func.return"() : () -> ()
  }) : () -> ()
  "func.func"() <{sym_name = "h", arg_attrs = [{}, {}]}> ({ //~ ERROR `arg_attrs` has 2 dictionaries, but the function has 1
  ^bb0(%a: tensor<4xf32>):
    "func.return"() : () -> ()
  }) : () -> ()
  "func.func"() <{sym_name = "g", arg_attrs = [3]}> ({ //~ ERROR attribute `arg_attrs` must be a list of dictionaries
  ^bb0(%a: tensor<4xf32>):
    "func.return"() : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<9xf32>) -> (), sym_name = "i"}> ({ //~ ERROR function `@i` is declared as (f32[9]) -> (), but its body is (f32[4]) -> ()
  ^bb0(%a: tensor<4xf32>):
    "func.return"() : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, res_attrs = [{}], sym_name = "j"}> ({
  ^bb0(%a: tensor<4xf32>):
    %0 = "stablehlo.nega"(%a) : (tensor<4xf32>) -> tensor<4xf32> //~ ERROR unknown op `stablehlo.nega`
    "func.return"(%0) : (tensor<4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{sym_name = "k", sym_visible = "private"}> ({ //~ ERROR func.func has no field `sym_visible`
  ^bb0(%a: tensor<4xf32>):
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
