// test run
// Rows 0 and 1 are of group 0, none of group 1, rows 2 to 4 of group 2, row 5 of no group. Then the same along the
// contracted dim, with a batch dim: groups stand first.
func.func public @main() -> (tensor<6x1xf32>, tensor<3x2x1x1xf32>) {
  %rows = stablehlo.constant dense<[[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]> : tensor<6x1xf32>
  %each = stablehlo.constant dense<[[[1.0]], [[10.0]], [[100.0]]]> : tensor<3x1x1xf32>
  %sizes = stablehlo.constant dense<[2, 0, 3]> : tensor<3xi32>
  %0 = "chlo.ragged_dot"(%rows, %each, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<6x1xf32>, tensor<3x1x1xf32>, tensor<3xi32>) -> tensor<6x1xf32>
  %left = stablehlo.constant dense<[[[1.0, 2.0, 3.0, 4.0, 5.0]], [[6.0, 7.0, 8.0, 9.0, 10.0]]]> : tensor<2x1x5xf32>
  %right = stablehlo.constant dense<1.0> : tensor<2x5x1xf32>
  %1 = "chlo.ragged_dot"(%left, %right, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2]>}> : (tensor<2x1x5xf32>, tensor<2x5x1xf32>, tensor<3xi32>) -> tensor<3x2x1x1xf32>
  return %0, %1 : tensor<6x1xf32>, tensor<3x2x1x1xf32>
}
//| 0: f32[6,1] [[1.0], [2.0], [300.0], [400.0], [500.0], [0.0]]
//| 1: f32[3,2,1,1] [[[[3.0]], [[13.0]]], [[[0.0]], [[0.0]]], [[[12.0]], [[27.0]]]]
