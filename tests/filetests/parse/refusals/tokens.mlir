// test parse
// Ops ordered by tokens are refused where a token is missing.
func.func @main(%a: tensor<4xf32>, %t: !stablehlo.token) {
  %0 = stablehlo.after_all %a : !stablehlo.token //~ ERROR stablehlo.after_all takes tokens only
  %1 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> tensor<4xf32> //~ ERROR the last result of stablehlo.infeed is a token
  %2 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1 type = 2>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token //~ ERROR expected `,` or `>`, found `type`
  %3 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2, host = 1>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token //~ ERROR stablehlo.send has no field `host`
  return
}
