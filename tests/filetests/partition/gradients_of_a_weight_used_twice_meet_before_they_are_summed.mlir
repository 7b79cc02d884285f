// test partition
// test equal devices=2
// Both products are partial over x. They pass their transposes so, meet, and are summed once.
module {
  sdy.mesh @m = <["x"=2]>
  func.func public @main(%a: tensor<3x4xbf16> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<4x5xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %c: tensor<3x4xbf16> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %d: tensor<4x5xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<3x5xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4xbf16>, tensor<4x5xbf16>) -> tensor<3x5xf32>
    %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<3x4xbf16>, tensor<4x5xbf16>) -> tensor<3x5xf32>
    %2 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x5xf32>) -> tensor<5x3xf32>
    %3 = stablehlo.transpose %1, dims = [1, 0] : (tensor<3x5xf32>) -> tensor<5x3xf32>
    %4 = stablehlo.add %2, %3 : tensor<5x3xf32>
    %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<5x3xf32>) -> tensor<3x5xf32>
    return %5 : tensor<3x5xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=2]>
//|   func.func public @main(%a: tensor<3x2xbf16>, %b: tensor<2x5xbf16>, %c: tensor<3x2xbf16>, %d: tensor<2x5xbf16>) -> tensor<3x5xf32> {
//|     %2 = stablehlo.dot_general %b, %a, contracting_dims = [0] x [1] : (tensor<2x5xbf16>, tensor<3x2xbf16>) -> tensor<5x3xf32>
//|     %3 = stablehlo.dot_general %d, %c, contracting_dims = [0] x [1] : (tensor<2x5xbf16>, tensor<3x2xbf16>) -> tensor<5x3xf32>
//|     %4 = stablehlo.add %2, %3 : tensor<5x3xf32>
//|     %6 = "stablehlo.all_reduce"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %7 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %7 : tensor<f32>
//|     }) : (tensor<5x3xf32>) -> tensor<5x3xf32>
//|     %5 = stablehlo.transpose %6, dims = [1, 0] : (tensor<5x3xf32>) -> tensor<3x5xf32>
//|     return %5 : tensor<3x5xf32>
//|   }
//| }
//| --- equal devices=2
