// test opt reduce_scatter
// The piece is not all that is read of the sum.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%x: tensor<8xf32>) -> (tensor<2xf32>, tensor<8xf32>) {
    %id = stablehlo.partition_id : tensor<ui32>
    %two = stablehlo.constant dense<2> : tensor<ui32>
    %at = stablehlo.multiply %id, %two : tensor<ui32>
    %sum = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %s = stablehlo.add %arg0, %arg1 : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    %t = stablehlo.negate %sum : tensor<8xf32>
    %r = stablehlo.dynamic_slice %sum, %at, sizes = [2] : (tensor<8xf32>, tensor<ui32>) -> tensor<2xf32>
    return %r, %t : tensor<2xf32>, tensor<8xf32>
  }
}
//| unchanged
