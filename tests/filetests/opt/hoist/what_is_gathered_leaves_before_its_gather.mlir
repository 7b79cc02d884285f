// test opt hoist
// What is gathered is computed first, outside as inside.
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%a: tensor<4x4xf32>, %w: tensor<2x4xf32>) -> (tensor<4x4xf32>, tensor<2x4xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%i = %zero, %s = %a, %v = %w) : tensor<i32>, tensor<4x4xf32>, tensor<2x4xf32>
    cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %i, %one : tensor<i32>
      %h = stablehlo.negate %v : tensor<2x4xf32>
      %g = "stablehlo.all_gather"(%h) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2x4xf32>) -> tensor<4x4xf32>
      %3 = stablehlo.add %s, %g : tensor<4x4xf32>
      stablehlo.return %2, %3, %v : tensor<i32>, tensor<4x4xf32>, tensor<2x4xf32>
    }
    return %0#1, %0#2 : tensor<4x4xf32>, tensor<2x4xf32>
  }
}
//| module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
//|   func.func public @main(%a: tensor<4x4xf32>, %w: tensor<2x4xf32>) -> (tensor<4x4xf32>, tensor<2x4xf32>) {
//|     %zero = stablehlo.constant dense<0> : tensor<i32>
//|     %h = stablehlo.negate %w : tensor<2x4xf32>
//|     %g = "stablehlo.all_gather"(%h) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2x4xf32>) -> tensor<4x4xf32>
//|     %0:2 = stablehlo.while(%i = %zero, %s = %a) : tensor<i32>, tensor<4x4xf32>
//|     cond {
//|       %n = stablehlo.constant dense<3> : tensor<i32>
//|       %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|       stablehlo.return %1 : tensor<i1>
//|     } do {
//|       %one = stablehlo.constant dense<1> : tensor<i32>
//|       %2 = stablehlo.add %i, %one : tensor<i32>
//|       %3 = stablehlo.add %s, %g : tensor<4x4xf32>
//|       stablehlo.return %2, %3 : tensor<i32>, tensor<4x4xf32>
//|     }
//|     return %0#1, %w : tensor<4x4xf32>, tensor<2x4xf32>
//|   }
//| }
