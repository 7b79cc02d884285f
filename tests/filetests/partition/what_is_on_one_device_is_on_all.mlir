// test partition
// test equal
// test complete values
// A value of one device is read by what runs on eight: every device has it, and no data moves.
module @one {
  sdy.mesh @maximal_mesh_3 = <[], device_ids=[3]>
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(
      %x: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
      %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@maximal_mesh_3, []>}
  ) -> tensor<16x4xf32> {
    %t = stablehlo.tanh %b {sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_3, []>]>} : tensor<4xf32>
    %w = stablehlo.broadcast_in_dim %t, dims = [1] : (tensor<4xf32>) -> tensor<16x4xf32>
    %y = stablehlo.add %x, %w : tensor<16x4xf32>
    return %y : tensor<16x4xf32>
  }
}
//| --- partition
//| module @one attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @maximal_mesh_3 = <[], device_ids=[3]>
//|   sdy.mesh @mesh = <["x"=8]>
//|   func.func public @main(%x: tensor<2x4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
//|     %t = stablehlo.tanh %b : tensor<4xf32>
//|     %w = stablehlo.broadcast_in_dim %t, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
//|     %y = stablehlo.add %x, %w : tensor<2x4xf32>
//|     return %y : tensor<2x4xf32>
//|   }
//| }
//| --- equal
//| --- complete values
//| %x [{"x"}, {}]
//| %b [{}]
//| %t [{}]
//| %w [{"x"}, {}]
//| %y [{"x"}, {}]
