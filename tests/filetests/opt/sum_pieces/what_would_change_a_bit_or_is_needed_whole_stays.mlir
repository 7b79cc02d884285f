// test opt sum_pieces
// `%x` may have a -0, which 0 + -0 would lose; the second whole is used twice; the third has no identity elsewhere; in
// the last two indices may meet.
module {
  func.func public @main(%x: tensor<5xf32>, %n: tensor<5xi32>, %g: tensor<2xf32>, %h: tensor<2xi32>, %at: tensor<i32>, %both: tensor<2x1xi32>) -> (tensor<5xf32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xf32>) {
    %z = stablehlo.constant dense<0.0> : tensor<5xf32>
    %negative = stablehlo.constant dense<-0.0> : tensor<5xf32>
    %zeros = stablehlo.constant dense<0> : tensor<5xi32>
    %ones = stablehlo.constant dense<1> : tensor<5xi32>
    %a = stablehlo.dynamic_update_slice %z, %g, %at : (tensor<5xf32>, tensor<2xf32>, tensor<i32>) -> tensor<5xf32>
    %b = stablehlo.dynamic_update_slice %zeros, %h, %at : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
    %c = stablehlo.dynamic_update_slice %ones, %h, %at : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
    %d = "stablehlo.scatter"(%negative, %both, %g) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %sum = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<5xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<5xf32>
    %r0 = stablehlo.add %x, %a : tensor<5xf32>
    %r1 = stablehlo.add %n, %b : tensor<5xi32>
    %r2 = stablehlo.add %n, %c : tensor<5xi32>
    %r3 = stablehlo.add %x, %d : tensor<5xf32>
    return %r0, %r1, %r2, %b, %r3 : tensor<5xf32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xf32>
  }
}
//| unchanged
