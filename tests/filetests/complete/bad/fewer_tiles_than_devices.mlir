// test complete
// One program runs on all devices: those that a sharding leaves out hold copies, as many for each tile.
module @m attributes {mhlo.num_partitions = 8 : i32} {
  func.func public @main(
      %w: tensor<8x8xf32> {mhlo.sharding = "{devices=[3,1]<=[3]}"} //~ ERROR `%w` cannot be split as asked: a sharding over 3 of the 8 devices of the module
  ) -> tensor<8x8xf32> {
    return %w : tensor<8x8xf32>
  }
}
