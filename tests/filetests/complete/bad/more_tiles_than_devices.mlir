// test complete
// 16 tiles, 8 devices.
module @m attributes {mhlo.num_partitions = 8 : i32} {
  func.func public @main(
      %w: tensor<8x8xf32> {mhlo.sharding = "{devices=[4,4]<=[16]}"} //~ ERROR `%w` cannot be split as asked: a sharding over 16 devices in a module for 8
  ) -> tensor<8x8xf32> {
    return %w : tensor<8x8xf32>
  }
}
