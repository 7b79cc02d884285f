// test opt slice_gathers
// The row of a batch of one, and a row by itself; of the latter its dim is dropped.
module {
  func.func public @main(%x: tensor<1x4x6xf32>, %i: tensor<1x2xi32>, %y: tensor<5x3xf32>, %j: tensor<1xi32>) -> (tensor<1x1x6xf32>, tensor<3xf32>) {
    %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<1x4x6xf32>, tensor<1x2xi32>) -> tensor<1x1x6xf32>
    %1 = "stablehlo.gather"(%y, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 0>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<1xi32>) -> tensor<3xf32>
    return %0, %1 : tensor<1x1x6xf32>, tensor<3xf32>
  }
}
//| module {
//|   func.func public @main(%x: tensor<1x4x6xf32>, %i: tensor<1x2xi32>, %y: tensor<5x3xf32>, %j: tensor<1xi32>) -> (tensor<1x1x6xf32>, tensor<3xf32>) {
//|     %2 = stablehlo.constant dense<0> : tensor<i32>
//|     %3 = stablehlo.slice %i [0:1, 0:1] : (tensor<1x2xi32>) -> tensor<1x1xi32>
//|     %4 = stablehlo.reshape %3 : (tensor<1x1xi32>) -> tensor<i32>
//|     %5 = stablehlo.slice %i [0:1, 1:2] : (tensor<1x2xi32>) -> tensor<1x1xi32>
//|     %6 = stablehlo.reshape %5 : (tensor<1x1xi32>) -> tensor<i32>
//|     %0 = stablehlo.dynamic_slice %x, %2, %4, %6, sizes = [1, 1, 6] : (tensor<1x4x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x6xf32>
//|     %7 = stablehlo.reshape %j : (tensor<1xi32>) -> tensor<i32>
//|     %8 = stablehlo.constant dense<0> : tensor<i32>
//|     %9 = stablehlo.dynamic_slice %y, %7, %8, sizes = [1, 3] : (tensor<5x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
//|     %1 = stablehlo.reshape %9 : (tensor<1x3xf32>) -> tensor<3xf32>
//|     return %0, %1 : tensor<1x1x6xf32>, tensor<3xf32>
//|   }
//| }
