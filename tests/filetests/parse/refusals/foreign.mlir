// test parse
// Calls of functions and of foreign code are refused where a name or a list of names does not read.
func.func @main(%a: tensor<4xf32>) {
  %0 = "func.call"(%a) <{callee = 3}> : (tensor<4xf32>) -> tensor<4xf32> //~ ERROR attribute `callee` must be a function as `@f`
  %10 = "func.call"(%a) : (tensor<4xf32>) -> tensor<4xf32> //~ ERROR func.call needs the attribute `callee`
  %1 = "stablehlo.custom_call"(%a) : (tensor<4xf32>) -> tensor<4xf32> //~ ERROR stablehlo.custom_call needs the attribute `call_target_name`
  %2 = stablehlo.custom_call @f(%a) {backend_config = 3} : (tensor<4xf32>) -> tensor<4xf32> //~ ERROR attribute `backend_config` must be a string or a dictionary
  %3 = stablehlo.custom_call @f(%a) {called_computations = @main} : (tensor<4xf32>) -> tensor<4xf32> //~ ERROR attribute `called_computations` must be a list of functions
  %4 = stablehlo.custom_call @f(%a) {called_computations = ["main"]} : (tensor<4xf32>) -> tensor<4xf32> //~ ERROR attribute `called_computations` must be a list of functions
  %5 = "stablehlo.composite"(%a) <{decomposition = @main}> : (tensor<4xf32>) -> tensor<4xf32> //~ ERROR stablehlo.composite needs the attribute `name`
  %6 = stablehlo.composite "x.y" %a {decomposition = "main"} : (tensor<4xf32>) -> tensor<4xf32> //~ ERROR attribute `decomposition` must be a function as `@f`
  %7 = stablehlo.composite "x.y" %a {decomposition = @main, composite_attributes = 3} : (tensor<4xf32>) -> tensor<4xf32> //~ ERROR attribute `composite_attributes` must be a dictionary
  return
}
