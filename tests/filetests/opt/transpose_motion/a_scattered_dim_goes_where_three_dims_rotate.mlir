// test opt transpose_motion
// Three dims go round, so that where one comes from is not where it goes to: the first, which is scattered, ends second.
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%g: tensor<8x16x2xf32>, %x: tensor<8x4xf32>) -> tensor<4x8x2xf32> {
    %0 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0] : (tensor<8x16x2xf32>, tensor<8x4xf32>) -> tensor<16x2x4xf32>
    %1 = "stablehlo.reduce_scatter"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<16x2x4xf32>) -> tensor<8x2x4xf32>
    %2 = stablehlo.transpose %1, dims = [2, 0, 1] : (tensor<8x2x4xf32>) -> tensor<4x8x2xf32>
    return %2 : tensor<4x8x2xf32>
  }
}
//| module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
//|   func.func public @main(%g: tensor<8x16x2xf32>, %x: tensor<8x4xf32>) -> tensor<4x8x2xf32> {
//|     %0 = stablehlo.dot_general %x, %g, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x16x2xf32>) -> tensor<4x16x2xf32>
//|     %1 = "stablehlo.reduce_scatter"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
//|     ^bb0(%a: tensor<f32>, %b: tensor<f32>):
//|       %s = stablehlo.add %a, %b : tensor<f32>
//|       stablehlo.return %s : tensor<f32>
//|     }) : (tensor<4x16x2xf32>) -> tensor<4x8x2xf32>
//|     return %1 : tensor<4x8x2xf32>
//|   }
//| }
