// test run devices=4
// A computation that is no plain op (`2a + b`), in order of position; scattered too; and sums of a type of 8 bits.
module @any attributes {mhlo.num_partitions = 4 : i32} {
  func.func public @main() -> (tensor<2xf32>, tensor<1xi32>, tensor<2xf8E3M4>) {
    %id = stablehlo.partition_id : tensor<ui32>
    %f = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
    %x = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %i = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
    %b = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %n = stablehlo.iota dim = 0 : tensor<4xi32>
    %y = stablehlo.add %b, %n : tensor<4xi32>
    %z = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xf8E3M4>
    %p = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %two = stablehlo.constant dense<2.0> : tensor<f32>
      %m = stablehlo.multiply %l, %two : tensor<f32>
      %s = stablehlo.add %m, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    %q = "stablehlo.reduce_scatter"(%y) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
    ^bb0(%l: tensor<i32>, %r: tensor<i32>):
      %m = stablehlo.add %l, %l : tensor<i32>
      %s = stablehlo.add %m, %r : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<4xi32>) -> tensor<1xi32>
    %e = "stablehlo.all_reduce"(%z) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%l: tensor<f8E3M4>, %r: tensor<f8E3M4>):
      %s = stablehlo.add %l, %r : tensor<f8E3M4>
      stablehlo.return %s : tensor<f8E3M4>
    }) : (tensor<2xf8E3M4>) -> tensor<2xf8E3M4>
    return %p, %q, %e : tensor<2xf32>, tensor<1xi32>, tensor<2xf8E3M4>
  }
}
//| 0: f32[2] [11.0, 11.0]
//| 1 on device 0: s32[1] [11]
//| 1 on device 1: s32[1] [26]
//| 1 on device 2: s32[1] [41]
//| 1 on device 3: s32[1] [56]
//| 2 on device 0: f8e3m4[2] [1.0, 1.0]
//| 2 on device 1: f8e3m4[2] [1.0, 1.0]
//| 2 on device 2: f8e3m4[2] [5.0, 5.0]
//| 2 on device 3: f8e3m4[2] [5.0, 5.0]
