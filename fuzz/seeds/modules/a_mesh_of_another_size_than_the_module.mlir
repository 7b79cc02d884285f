// test complete
// The mesh has 8 devices, the module is for 4.
module @m attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> //~ ERROR mesh `mesh` has 8 devices, but 4 are said by the module
  func.func public @main(
      %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
  ) -> tensor<8x8xf32> {
    return %w : tensor<8x8xf32>
  }
}
