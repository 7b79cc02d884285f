// test opt sum_pieces
// One index: no element is met twice. As a device of a circular pipeline sums the gradients of a round's weights.
module {
  func.func public @main(%acc: tensor<4x3xf32>, %at: tensor<1xi32>, %g: tensor<3xf32>) -> tensor<4x3xf32> {
    %none = stablehlo.constant dense<-0.0> : tensor<4x3xf32>
    %u = "stablehlo.scatter"(%none, %at, %g) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<4x3xf32>, tensor<1xi32>, tensor<3xf32>) -> tensor<4x3xf32>
    %s = stablehlo.add %acc, %u : tensor<4x3xf32>
    return %s : tensor<4x3xf32>
  }
}
//| module {
//|   func.func public @main(%acc: tensor<4x3xf32>, %at: tensor<1xi32>, %g: tensor<3xf32>) -> tensor<4x3xf32> {
//|     %none = stablehlo.constant dense<-0.000000e+00> : tensor<4x3xf32>
//|     %s = "stablehlo.scatter"(%acc, %at, %g) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = false}> ({
//|     ^bb0(%a: tensor<f32>, %b: tensor<f32>):
//|       %sum = stablehlo.add %a, %b : tensor<f32>
//|       stablehlo.return %sum : tensor<f32>
//|     }) : (tensor<4x3xf32>, tensor<1xi32>, tensor<3xf32>) -> tensor<4x3xf32>
//|     return %s : tensor<4x3xf32>
//|   }
//| }
