// test run devices=3
// Between devices, on one channel, with the same pairs: one permute. Device 2 sends to nobody, device 0 gets zeros.
module @pipe attributes {mhlo.num_partitions = 3 : i32} {
  func.func public @main() -> tensor<2xui32> {
    %id = stablehlo.partition_id : tensor<ui32>
    %x = stablehlo.broadcast_in_dim %id, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %one = stablehlo.constant dense<1> : tensor<2xui32>
    %y = stablehlo.add %x, %one : tensor<2xui32>
    %t = stablehlo.create_token : !stablehlo.token
    %s = "stablehlo.send"(%y, %t) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<2xui32>, !stablehlo.token) -> !stablehlo.token
    %r:2 = "stablehlo.recv"(%s) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (!stablehlo.token) -> (tensor<2xui32>, !stablehlo.token)
    return %r#0 : tensor<2xui32>
  }
}
//| 0 on device 0: u32[2] [0, 0]
//| 0 on device 1: u32[2] [1, 1]
//| 0 on device 2: u32[2] [2, 2]
