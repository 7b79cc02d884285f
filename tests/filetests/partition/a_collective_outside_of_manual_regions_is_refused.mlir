// test partition
// What a device holds of a global value is the planner's to choose: a collective of the input on one means nothing.
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x4xf32> {
    %0 = stablehlo.negate %a : tensor<8x4xf32>
    %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({ //~? ERROR error[E0550]: `%1` all_reduce would exchange pieces of `%0`, which is split over {"x"}
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}
