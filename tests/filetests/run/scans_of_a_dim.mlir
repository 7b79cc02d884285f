// test run
// test equal devices=4 seeds=3
// test print
// A scan that only combines becomes a window that ends at each element; any other one a loop over the slices of its dim.
module @scans attributes {mhlo.num_partitions = 4 : i32} {
  func.func public @main(%x: tensor<2x3xf32> {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}, %n: tensor<2x3xi32>, %c: tensor<2xf32>, %m: tensor<2xi32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2x3xi32>, tensor<2xi32>, tensor<2x3xf32>, tensor<2x3x2xi32>, tensor<2xf32>, tensor<2xi32>) {
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %sum:2 = chlo.scan(%x) inits (%zeros) dimension=1  attributes {is_associative = true, is_reverse = false} {
    ^bb0(%input: tensor<2xf32>, %carry: tensor<2xf32>):
      %s = stablehlo.add %input, %carry : tensor<2xf32>
      stablehlo.return %s, %s : tensor<2xf32>, tensor<2xf32>
    } : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
    %most:2 = chlo.scan(%n) inits (%m) dimension=1  attributes {is_associative = true, is_reverse = true} {
    ^bb0(%input: tensor<2xi32>, %carry: tensor<2xi32>):
      %s = stablehlo.maximum %carry, %input : tensor<2xi32>
      stablehlo.return %s, %s : tensor<2xi32>, tensor<2xi32>
    } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
    %loop:4 = "chlo.scan"(%x, %n, %c, %m) <{dimension = 1 : i64, is_reverse = true, operandSegmentSizes = array<i32: 2, 2>, resultSegmentSizes = array<i32: 2, 2>}> ({
    ^bb0(%a: tensor<2xf32>, %b: tensor<2xi32>, %d: tensor<2xf32>, %e: tensor<2xi32>):
      %s = stablehlo.subtract %d, %a : tensor<2xf32>
      %t = stablehlo.add %e, %b : tensor<2xi32>
      %u = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<2xi32>) -> tensor<2x2xi32>
      stablehlo.return %s, %u, %s, %t : tensor<2xf32>, tensor<2x2xi32>, tensor<2xf32>, tensor<2xi32>
    }) : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<2xf32>, tensor<2xi32>) -> (tensor<2x3xf32>, tensor<2x3x2xi32>, tensor<2xf32>, tensor<2xi32>)
    return %sum#0, %sum#1, %most#0, %most#1, %loop#0, %loop#1, %loop#2, %loop#3 : tensor<2x3xf32>, tensor<2xf32>, tensor<2x3xi32>, tensor<2xi32>, tensor<2x3xf32>, tensor<2x3x2xi32>, tensor<2xf32>, tensor<2xi32>
  }
}
//| --- run
//| 0: f32[2,3] [[1.0, 3.0, 6.0], [-3.0, -2.0, -5.0]]
//| 1: f32[2] [6.0, -5.0]
//| 2: s32[2,3] [[15, 15, 15], [15, 15, 14]]
//| 3: s32[2] [15, 15]
//| 4: f32[2,3] [[-9.0, -8.0, -6.0], [5.0, 2.0, 3.0]]
//| 5: s32[2,3,2] [[[34, 34], [25, 25], [23, 23]], [[44, 44], [31, 31], [16, 16]]]
//| 6: f32[2] [-9.0, 5.0]
//| 7: s32[2] [34, 44]
//| --- equal devices=4 seeds=3
//| --- print
//| module @scans attributes {mhlo.num_partitions = 4 : i32} {
//|   func.func public @main(%x: tensor<2x3xf32> {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}, %n: tensor<2x3xi32>, %c: tensor<2xf32>, %m: tensor<2xi32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2x3xi32>, tensor<2xi32>, tensor<2x3xf32>, tensor<2x3x2xi32>, tensor<2xf32>, tensor<2xi32>) {
//|     %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<2xf32>
//|     %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %1 = "stablehlo.reduce_window"(%x, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [2, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 1>}> ({
//|     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//|       %18 = stablehlo.add %arg0, %arg1 : tensor<f32>
//|       stablehlo.return %18 : tensor<f32>
//|     }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
//|     %2 = stablehlo.slice %1 [0:2, 2:3] : (tensor<2x3xf32>) -> tensor<2x1xf32>
//|     %3 = stablehlo.reshape %2 : (tensor<2x1xf32>) -> tensor<2xf32>
//|     %4 = stablehlo.constant dense<-2147483648> : tensor<i32>
//|     %5 = "stablehlo.reduce_window"(%n, %4) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 2]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 1>}> ({
//|     ^bb0(%arg0: tensor<i32>, %arg1: tensor<i32>):
//|       %18 = stablehlo.maximum %arg0, %arg1 : tensor<i32>
//|       stablehlo.return %18 : tensor<i32>
//|     }) : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
//|     %6 = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<2xi32>) -> tensor<2x3xi32>
//|     %7 = stablehlo.maximum %5, %6 : tensor<2x3xi32>
//|     %8 = stablehlo.slice %7 [0:2, 0:1] : (tensor<2x3xi32>) -> tensor<2x1xi32>
//|     %9 = stablehlo.reshape %8 : (tensor<2x1xi32>) -> tensor<2xi32>
//|     %10 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
//|     %11 = stablehlo.transpose %n, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
//|     %12 = stablehlo.constant dense<0> : tensor<i32>
//|     %13 = stablehlo.constant dense<0.000000e+00> : tensor<3x2xf32>
//|     %14 = stablehlo.constant dense<0> : tensor<3x2x2xi32>
//|     %15:7 = stablehlo.while(%iterArg = %10, %iterArg_0 = %11, %iterArg_1 = %12, %iterArg_2 = %c, %iterArg_3 = %m, %iterArg_4 = %13, %iterArg_5 = %14) : tensor<3x2xf32>, tensor<3x2xi32>, tensor<i32>, tensor<2xf32>, tensor<2xi32>, tensor<3x2xf32>, tensor<3x2x2xi32>
//|     cond {
//|       %18 = stablehlo.constant dense<3> : tensor<i32>
//|       %19 = stablehlo.compare LT, %iterArg_1, %18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|       stablehlo.return %19 : tensor<i1>
//|     } do {
//|       %18 = stablehlo.constant dense<2> : tensor<i32>
//|       %19 = stablehlo.subtract %18, %iterArg_1 : tensor<i32>
//|       %20 = stablehlo.constant dense<0> : tensor<i32>
//|       %21 = stablehlo.dynamic_slice %iterArg, %19, %20, sizes = [1, 2] : (tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
//|       %a = stablehlo.reshape %21 : (tensor<1x2xf32>) -> tensor<2xf32>
//|       %22 = stablehlo.constant dense<0> : tensor<i32>
//|       %23 = stablehlo.dynamic_slice %iterArg_0, %19, %22, sizes = [1, 2] : (tensor<3x2xi32>, tensor<i32>, tensor<i32>) -> tensor<1x2xi32>
//|       %b = stablehlo.reshape %23 : (tensor<1x2xi32>) -> tensor<2xi32>
//|       %s = stablehlo.subtract %iterArg_2, %a : tensor<2xf32>
//|       %t = stablehlo.add %iterArg_3, %b : tensor<2xi32>
//|       %u = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<2xi32>) -> tensor<2x2xi32>
//|       %24 = stablehlo.constant dense<0> : tensor<i32>
//|       %25 = stablehlo.reshape %s : (tensor<2xf32>) -> tensor<1x2xf32>
//|       %26 = stablehlo.dynamic_update_slice %iterArg_4, %25, %19, %24 : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
//|       %27 = stablehlo.constant dense<0> : tensor<i32>
//|       %28 = stablehlo.reshape %u : (tensor<2x2xi32>) -> tensor<1x2x2xi32>
//|       %29 = stablehlo.dynamic_update_slice %iterArg_5, %28, %19, %27, %27 : (tensor<3x2x2xi32>, tensor<1x2x2xi32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x2x2xi32>
//|       %30 = stablehlo.constant dense<1> : tensor<i32>
//|       %31 = stablehlo.add %iterArg_1, %30 : tensor<i32>
//|       stablehlo.return %iterArg, %iterArg_0, %31, %s, %t, %26, %29 : tensor<3x2xf32>, tensor<3x2xi32>, tensor<i32>, tensor<2xf32>, tensor<2xi32>, tensor<3x2xf32>, tensor<3x2x2xi32>
//|     }
//|     %16 = stablehlo.transpose %15#5, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
//|     %17 = stablehlo.transpose %15#6, dims = [1, 0, 2] : (tensor<3x2x2xi32>) -> tensor<2x3x2xi32>
//|     return %1, %3, %7, %9, %16, %17, %15#3, %15#4 : tensor<2x3xf32>, tensor<2xf32>, tensor<2x3xi32>, tensor<2xi32>, tensor<2x3xf32>, tensor<2x3x2xi32>, tensor<2xf32>, tensor<2xi32>
//|   }
//| }
