// test complete
// One mistake, told once, however many values there are.
module @m attributes {mhlo.num_partitions = 4 : i32} {
  func.func public @main(
      %a: tensor<8x8xf32> {mhlo.sharding = "{devices=[8,1]<=[8]}"}, //~ ERROR `%a` and 1 more are split over 8 devices, but 4 are said by the module (`num_partitions`)
      %b: tensor<8x8xf32> {mhlo.sharding = "{devices=[1,8]<=[8]}"}
  ) -> tensor<8x8xf32> {
    %c = stablehlo.add %a, %b : tensor<8x8xf32>
    return %c : tensor<8x8xf32>
  }
}
