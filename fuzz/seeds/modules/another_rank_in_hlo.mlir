// test complete
// One tile count per dim.
module @m attributes {mhlo.num_partitions = 8 : i32} {
  func.func public @main(
      %w: tensor<8x8xf32> {mhlo.sharding = "{devices=[8]<=[8]}"} //~ ERROR `%w`: a sharding of 1 dims on a value of 2 dims
  ) -> tensor<8x8xf32> {
    return %w : tensor<8x8xf32>
  }
}
