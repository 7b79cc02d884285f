// test opt hoist
// Each trip draws anew, in a function that another calls, before it gathers.
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%low: tensor<f32>, %high: tensor<f32>, %last: tensor<i32>) -> tensor<4xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %start = stablehlo.constant dense<0.0> : tensor<4xf32>
    %0:2 = stablehlo.while(%i = %zero, %a = %start) : tensor<i32>, tensor<4xf32>
    cond {
      %more = stablehlo.compare LT, %i, %last : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %b = func.call @outer(%low, %high) : (tensor<f32>, tensor<f32>) -> tensor<2xf32>
      %g = "stablehlo.all_gather"(%b) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
      %c = stablehlo.add %a, %g : tensor<4xf32>
      stablehlo.return %next, %c : tensor<i32>, tensor<4xf32>
    }
    return %0#1 : tensor<4xf32>
  }
  func.func private @outer(%low: tensor<f32>, %high: tensor<f32>) -> tensor<2xf32> {
    %0 = func.call @inner(%low, %high) : (tensor<f32>, tensor<f32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @inner(%low: tensor<f32>, %high: tensor<f32>) -> tensor<2xf32> {
    %shape = stablehlo.constant dense<2> : tensor<1xi64>
    %0 = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
//| unchanged
