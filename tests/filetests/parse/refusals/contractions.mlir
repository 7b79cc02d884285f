// test parse
// A contraction is refused where its dims do not pair up or a field of it is unknown.
func.func @main(%a: tensor<4x6xf32>, %b: tensor<2x6x8xf32>, %sizes: tensor<2xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [0, 1] x [0] : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4xf32> //~ ERROR lhs_contracting_dimensions names 2 dims, rhs_contracting_dimensions names 1
  %1 = stablehlo.dot_general %a, %a, contract = [0] x [0] : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<6x6xf32> //~ ERROR unknown attribute `contract` of a dot
  %2 = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0], algorithm = tf32 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<6x6xf32> //~ ERROR expected `<`, found `tf32`
  %3 = "stablehlo.dot"(%a, %a) <{precision_config = 3}> : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<6x6xf32> //~ ERROR attribute `precision_config` must be a list of precisions
  %4 = "stablehlo.dot"(%a, %a) <{algorithm = 3}> : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<6x6xf32> //~ ERROR attribute `algorithm` must be #stablehlo.dot_algorithm<..>
  %5 = "chlo.ragged_dot"(%a, %b, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0, 1], rhs_group_dimensions = [0]>}> : (tensor<4x6xf32>, tensor<2x6x8xf32>, tensor<2xi32>) -> tensor<4x8xf32> //~ ERROR 2 ragged and 1 group dims are not supported
  %6 = "chlo.ragged_dot"(%a, %b, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], groups = [0]>}> : (tensor<4x6xf32>, tensor<2x6x8xf32>, tensor<2xi32>) -> tensor<4x8xf32> //~ ERROR chlo.ragged_dot has no field `groups`
  %7 = "chlo.ragged_dot"(%a, %b, %t) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<4x6xf32>, tensor<2x6x8xf32>, !stablehlo.token) -> tensor<4x8xf32> //~ ERROR a contraction takes tensors
  %8 = "chlo.ragged_dot"(%a, %b, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>}> : (tensor<4x6xf32>, tensor<2x6x8xf32>, tensor<2xi32>) -> tensor<4x8xf32> //~ ERROR 2 groups do not fit the dims of rhs, which is f32[2,6,8]
  return
}
