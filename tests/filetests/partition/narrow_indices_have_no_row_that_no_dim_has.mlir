// test equal devices=5 seeds=4
// An index of 8 bits without a sign can be none that a dim of 260 lacks: it is made wider before rows that only pad are dropped.
module @case attributes {mhlo.num_partitions = 5 : i32} {
  sdy.mesh @mesh = <["x"=5]>
  func.func public @main(%i: tensor<2x2xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<2x2xi32>, %to: tensor<260xi32>) -> tensor<260xi32> {
    %0 = "stablehlo.scatter"(%to, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<260xi32>, tensor<2x2xui8>, tensor<2x2xi32>) -> tensor<260xi32>
    return %0 : tensor<260xi32>
  }
}
