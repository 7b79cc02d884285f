// test opt transpose_motion
// A gradient by a weight: summed over devices, scattered, in a wider type, and transposed at last. The product is turned round.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%g: tensor<8x16xbf16>, %x: tensor<8x4xbf16>) -> tensor<4x8xf32> {
    %0 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0], precision = [HIGH, DEFAULT] : (tensor<8x16xbf16>, tensor<8x4xbf16>) -> tensor<16x4xbf16>
    %1 = stablehlo.convert %0 : (tensor<16x4xbf16>) -> tensor<16x4xf32>
    %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %3 = "stablehlo.reduce_scatter"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<16x4xf32>) -> tensor<8x4xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    return %4 : tensor<4x8xf32>
  }
}
//| module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
//|   func.func public @main(%g: tensor<8x16xbf16>, %x: tensor<8x4xbf16>) -> tensor<4x8xf32> {
//|     %0 = stablehlo.dot_general %x, %g, contracting_dims = [0] x [0], precision = [DEFAULT, HIGH] : (tensor<8x4xbf16>, tensor<8x16xbf16>) -> tensor<4x16xbf16>
//|     %1 = stablehlo.convert %0 : (tensor<4x16xbf16>) -> tensor<4x16xf32>
//|     %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
//|     ^bb0(%a: tensor<f32>, %b: tensor<f32>):
//|       %s = stablehlo.add %a, %b : tensor<f32>
//|       stablehlo.return %s : tensor<f32>
//|     }) : (tensor<4x16xf32>) -> tensor<4x16xf32>
//|     %3 = "stablehlo.reduce_scatter"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
//|     ^bb0(%a: tensor<f32>, %b: tensor<f32>):
//|       %s = stablehlo.add %a, %b : tensor<f32>
//|       stablehlo.return %s : tensor<f32>
//|     }) : (tensor<4x16xf32>) -> tensor<4x8xf32>
//|     return %3 : tensor<4x8xf32>
//|   }
//| }
