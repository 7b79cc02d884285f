// test partition
// test equal seeds=3
// A gradient summed over the steps of a loop: devices keep their own sums until the loop is over.
module {
  sdy.mesh @m = <["x"=4, "y"=2]>
  func.func public @main(%w: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}, %a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> tensor<6x4xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %r:3 = stablehlo.while(%i = %zero, %s = %w, %p = %a) : tensor<i32>, tensor<6x4xf32>, tensor<8x6xf32>
    cond {
      %n = stablehlo.constant dense<5> : tensor<i32>
      %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %d = stablehlo.dot_general %p, %b, contracting_dims = [0] x [0] : (tensor<8x6xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
      %e = stablehlo.dot_general %b, %p, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
      %f = stablehlo.transpose %e, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
      %s1 = stablehlo.add %s, %d : tensor<6x4xf32>
      %s2 = stablehlo.add %f, %s1 : tensor<6x4xf32>
      %q = stablehlo.negate %p : tensor<8x6xf32>
      stablehlo.return %next, %s2, %q : tensor<i32>, tensor<6x4xf32>, tensor<8x6xf32>
    }
    return %r#1 : tensor<6x4xf32>
  }
}
//| --- partition
//| module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
//|   sdy.mesh @m = <["x"=4, "y"=2]>
//|   func.func public @main(%w: tensor<6x2xf32>, %a: tensor<2x6xf32>, %b: tensor<2x2xf32>) -> tensor<6x2xf32> {
//|     %0 = stablehlo.partition_id : tensor<ui32>
//|     %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
//|     %2 = stablehlo.constant dense<2> : tensor<i32>
//|     %3 = stablehlo.divide %1, %2 : tensor<i32>
//|     %zero = stablehlo.constant dense<0> : tensor<i32>
//|     %4 = stablehlo.compare EQ, %3, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|     %5 = stablehlo.constant dense<0.000000e+00> : tensor<6x2xf32>
//|     %6 = stablehlo.select %4, %w, %5 : tensor<i1>, tensor<6x2xf32>
//|     %r:3 = stablehlo.while(%i = %zero, %s = %6, %p = %a) : tensor<i32>, tensor<6x2xf32>, tensor<2x6xf32>
//|     cond {
//|       %n = stablehlo.constant dense<5> : tensor<i32>
//|       %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|       stablehlo.return %c : tensor<i1>
//|     } do {
//|       %one = stablehlo.constant dense<1> : tensor<i32>
//|       %next = stablehlo.add %i, %one : tensor<i32>
//|       %d = stablehlo.dot_general %p, %b, contracting_dims = [0] x [0] : (tensor<2x6xf32>, tensor<2x2xf32>) -> tensor<6x2xf32>
//|       %s1 = stablehlo.add %s, %d : tensor<6x2xf32>
//|       %s2 = stablehlo.add %d, %s1 : tensor<6x2xf32>
//|       %q = stablehlo.negate %p : tensor<2x6xf32>
//|       stablehlo.return %next, %s2, %q : tensor<i32>, tensor<6x2xf32>, tensor<2x6xf32>
//|     }
//|     %7 = "stablehlo.all_reduce"(%r#1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %8 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %8 : tensor<f32>
//|     }) : (tensor<6x2xf32>) -> tensor<6x2xf32>
//|     return %7 : tensor<6x2xf32>
//|   }
//| }
//| --- equal seeds=3
