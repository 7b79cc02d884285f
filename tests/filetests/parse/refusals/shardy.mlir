// test parse
// Shardy's ops are refused where their axes or shardings do not read.
func.func @before(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[] out_shardings=[] manual_axes={} (%b: tensor<8xf32>) { //~ ERROR a manual computation needs a mesh, but none is declared
    sdy.return %b : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

sdy.mesh @mesh = <["x"=2]>

func.func @main(%a: tensor<8x8xf32>) {
  %0 = "sdy.all_gather"(%a) <{gathering_axes = 3, out_sharding = #sdy.sharding<@mesh, [{}, {}]>}> : (tensor<8x8xf32>) -> tensor<8x8xf32> //~ ERROR attribute `gathering_axes` must be #sdy<list_of_axis_ref_lists..>
  %1 = sdy.all_to_all [{"x"}: 0->-1] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32> //~ ERROR -1 cannot be a dim
  %2 = sdy.sharding_constraint %a @mesh : tensor<8x8xf32> //~ ERROR expected `<`, found `@mesh`
  %3 = sdy.all_slice x %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32> //~ ERROR expected `[` or `{`, found `x`
  %4 = sdy.all_slice [{"x"}; {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32> //~ ERROR expected a closing bracket, found ";", which is no token
  return
}
