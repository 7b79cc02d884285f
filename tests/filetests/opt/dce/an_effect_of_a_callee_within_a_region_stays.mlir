// test opt dce
// Nobody uses what the loop and the branch compute; the function they call does something besides, by one that it calls.
module {
  func.func public @main(%x: tensor<4xf32>, %last: tensor<i32>, %p: tensor<i1>) -> tensor<4xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %more = stablehlo.compare LT, %i, %last : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %b = func.call @outer(%a) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %next, %b : tensor<i32>, tensor<4xf32>
    }
    %1 = "stablehlo.if"(%p) ({
      %c = func.call @outer(%x) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %c : tensor<4xf32>
    }, {
      stablehlo.return %x : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    return %x : tensor<4xf32>
  }
  func.func private @outer(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = func.call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
//| unchanged
