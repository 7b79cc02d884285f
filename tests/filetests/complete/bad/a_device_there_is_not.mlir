// test complete
// Devices are numbered from 0.
module @m attributes {mhlo.num_partitions = 8 : i32} {
  func.func public @main(
      %w: tensor<8x8xf32> {mhlo.sharding = "{maximal device=8}"} //~ ERROR `%w` cannot be split as asked: device 8 is not among the 8 devices of the module
  ) -> tensor<8x8xf32> {
    return %w : tensor<8x8xf32>
  }
}
