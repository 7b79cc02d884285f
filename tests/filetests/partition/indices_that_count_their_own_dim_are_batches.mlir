// test collectives
// test equal seeds=2
// test complete values
// What was written before gathers had batching dims: the rows are counted by an iota (also one that is made positive in vain),
// the places in them are looked up. As batches the rows split with the table (x), the slices' own dim with it (y), and the
// places that are looked up with the indices (z); so does the gradient over x and y, a scatter by the same indices. All that
// is sent are indices over z, which only they are split by: less than a sum of gradients would be.
module {
  sdy.mesh @m = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(
      %x: tensor<8x16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}]>},
      %at: tensor<8x6xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"z"}]>}
  ) -> (tensor<8x6x4xf32>, tensor<8x16x4xf32>) {
    %rows = stablehlo.iota dim = 0 : tensor<8xi32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %below = stablehlo.compare LT, %rows, %zeros, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %count = stablehlo.constant dense<8> : tensor<8xi32>
    %more = stablehlo.add %rows, %count : tensor<8xi32>
    %row = stablehlo.select %below, %more, %rows : tensor<8xi1>, tensor<8xi32>
    %r = stablehlo.broadcast_in_dim %row, dims = [0] : (tensor<8xi32>) -> tensor<8x6x1xi32>
    %a = stablehlo.broadcast_in_dim %at, dims = [0, 1] : (tensor<8x6xi32>) -> tensor<8x6x1xi32>
    %i = stablehlo.concatenate %r, %a, dim = 2 : (tensor<8x6x1xi32>, tensor<8x6x1xi32>) -> tensor<8x6x2xi32>
    %taken = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<8x16x4xf32>, tensor<8x6x2xi32>) -> tensor<8x6x4xf32>
    %nothing = stablehlo.constant dense<0.0> : tensor<8x16x4xf32>
    %back = "stablehlo.scatter"(%nothing, %i, %taken) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x16x4xf32>, tensor<8x6x2xi32>, tensor<8x6x4xf32>) -> tensor<8x16x4xf32>
    return %taken, %back : tensor<8x6x4xf32>, tensor<8x16x4xf32>
  }
}
//| --- collectives
//| 1 all-gather over {"z"}: 48 bytes
//| 0 flops in contractions
//| --- equal seeds=2
//| --- complete values
//| %x [{"x"}, {}, {"y"}]
//| %at [{"x"}, {"z"}]
//| %rows [{}]
//| %zeros [{}]
//| %below [{}]
//| %count [{}]
//| %more [{}]
//| %row [{}]
//| %r [{}, {}, {}]
//| %a [{"x"}, {"z"}, {}]
//| %taken [{"x"}, {"z"}, {"y"}]
//| %nothing [{"x"}, {}, {"y"}]
//| %back [{"x"}, {}, {"y"}]
