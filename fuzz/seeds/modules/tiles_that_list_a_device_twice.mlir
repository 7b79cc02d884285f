// test complete
// Every device holds one tile.
module @m attributes {mhlo.num_partitions = 8 : i32} {
  func.func public @main(
      %w: tensor<8x8xf32> {mhlo.sharding = "{devices=[4,2]0,1,2,3,4,5,6,6}"} //~ ERROR `%w` cannot be split as asked: device 6 holds two tiles
  ) -> tensor<8x8xf32> {
    return %w : tensor<8x8xf32>
  }
}
