// test parse
// Regions, results and values are refused where they do not fit the op they stand at.
func.func @main(%a: tensor<4xf32>, %z: tensor<f32>, %p: tensor<i1>, %t: !stablehlo.token) {
  %0:0 = stablehlo.negate %a : tensor<4xf32> //~ ERROR a name stands for 1 to 1048576 results, not `0`
  %1:2 = stablehlo.optimization_barrier %a, %a : tensor<4xf32>, tensor<4xf32>
  %2 = stablehlo.negate %1#2 : tensor<4xf32> //~ ERROR `%1` stands for 2 results; one of them is `%1#0`
  %3 = stablehlo.negate %a#1 : tensor<4xf32> //~ ERROR `%a` is one value and has no result 1
  %4 = stablehlo.negate %1#x : tensor<4xf32> //~ ERROR expected a result number after `#`
  %5 = "stablehlo.negate"(%a) : () -> tensor<4xf32> //~ ERROR stablehlo.negate has 1 operands, but 0 types
  %6 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<4xf32>
  ^bb1: //~ ERROR a region of several blocks is not supported
    stablehlo.return %a : tensor<4xf32>
  }, {
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %7 = stablehlo.reduce(%a init: %z) applies stablehlo.negate across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> //~ ERROR `stablehlo.negate` is not an op of two operands that can be applied
  %8 = stablehlo.reduce(%t init: %z) applies stablehlo.add across dimensions = [0] : (!stablehlo.token, tensor<f32>) -> tensor<f32> //~ ERROR a reduction needs a tensor to reduce
  %9 = stablehlo.reduce(%a init: %z) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    reducer(%x: tensor<f32>) { //~ ERROR a reducer takes its parameters in pairs
    stablehlo.return %x : tensor<f32>
  }
  %10 = stablehlo.tuple %a, %z : tuple<tensor<4xf32>, tensor<f32>>
  %11 = stablehlo.while(%it = %10) : tuple<tensor<4xf32>, tensor<f32>> //~ ERROR a loop over tuples is not supported: carry their elements
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %it : tensor<4xf32>
  }
  %12, %13 = stablehlo.tuple %a : tuple<tensor<4xf32>> //~ ERROR stablehlo.tuple has one result to name
  %14 = stablehlo.get_tuple_element %10[2] : (tuple<tensor<4xf32>, tensor<f32>>) -> tensor<f32> //~ ERROR the operand is not a tuple with an element 2
  %15 = stablehlo.tuple %a : tensor<4xf32> //~ ERROR the result of stablehlo.tuple is a tuple, as `tuple<tensor<f32>>`
  %16 = stablehlo.tuple %a : tuple<tensor<9xf32>> //~ ERROR stablehlo.tuple gives (f32[4]), but is declared to give (f32[9])
  %18 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32> //~ ERROR nothing may follow the return of a block
  }, {
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %17 = stablehlo.get_tuple_element %10[0] : (tuple<tensor<4xf32>, tensor<f32>>) -> tensor<f32> //~ ERROR stablehlo.get_tuple_element gives (f32[4]), but is declared to give (f32[])
  return
}
