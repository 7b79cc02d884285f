// test complete
// As many devices as tiles.
module @m attributes {mhlo.num_partitions = 8 : i32} {
  func.func public @main(
      %w: tensor<8x8xf32> {mhlo.sharding = "{devices=[4,2]0,1,2,3,4,5,6}"} //~ ERROR tile counts [4, 2] need 8 devices, 7 are given
  ) -> tensor<8x8xf32> {
    return %w : tensor<8x8xf32>
  }
}
