// test opt transpose_motion
// The sum is wanted as it is too; the second product would need a transposed operand; the third goes to other places.
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%g: tensor<8x16xf32>, %x: tensor<8x4xf32>, %y: tensor<8x16x2xf32>) -> (tensor<4x16xf32>, tensor<16x4xf32>, tensor<2x16x4xf32>, tensor<8x16xf32>) {
    %0 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
    %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<16x4xf32>) -> tensor<4x16xf32>
    %3 = stablehlo.dot_general %y, %x, contracting_dims = [0] x [0] : (tensor<8x16x2xf32>, tensor<8x4xf32>) -> tensor<16x2x4xf32>
    %4 = "stablehlo.all_reduce"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<16x2x4xf32>) -> tensor<16x2x4xf32>
    %5 = stablehlo.transpose %4, dims = [1, 0, 2] : (tensor<16x2x4xf32>) -> tensor<2x16x4xf32>
    %6 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
    %7 = "stablehlo.all_gather"(%6) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<16x4xf32>) -> tensor<16x8xf32>
    %8 = stablehlo.transpose %7, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    return %2, %1, %5, %8 : tensor<4x16xf32>, tensor<16x4xf32>, tensor<2x16x4xf32>, tensor<8x16xf32>
  }
}
//| unchanged
