// test complete
// Every sharding speaks of all devices.
module @m attributes {mhlo.num_partitions = 8 : i32} {
  func.func public @main(
      %w: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,2]<=[4]}"} //~ ERROR `%w` cannot be split as asked: a sharding over 4 devices in a module for 8
  ) -> tensor<8x8xf32> {
    return %w : tensor<8x8xf32>
  }
}
