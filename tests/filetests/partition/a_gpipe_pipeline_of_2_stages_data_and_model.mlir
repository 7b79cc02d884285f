// test collectives devices=8
// test equal devices=8 seeds=1
// GSPMD 3.3, stage=2, data=2, model=2: 8 microbatches in 2 stages, each stage a layer, computed again in the backward pass. 9 trips send a permute
// of a microbatch's shard in either direction, 18 in all; no weight leaves its stage, and weights' gradients are reduced once, behind the loop. Layers are summed up over `model` in each trip.
module @main {
  sdy.mesh @mesh = <["stage"=2, "data"=2, "model"=2]>
  func.func public @main(%x: tensor<8x4x8xf32>, %up: tensor<2x8x16xf32>, %down: tensor<2x16x8xf32>) -> (tensor<f32> {jax.result_info = "0"}, tensor<2x8x16xf32> {jax.result_info = "1.0"}, tensor<2x16x8xf32> {jax.result_info = "1.1"}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{}, {"data"}, {}]> : tensor<8x4x8xf32>
    %1:3 = call @loss_grad(%up, %down, %0) : (tensor<2x8x16xf32>, tensor<2x16x8xf32>, tensor<8x4x8xf32>) -> (tensor<f32>, tensor<2x8x16xf32>, tensor<2x16x8xf32>)
    return %1#0, %1#1, %1#2 : tensor<f32>, tensor<2x8x16xf32>, tensor<2x16x8xf32>
  }
  func.func private @loss(%arg0: tensor<2x8x16xf32>, %arg1: tensor<2x16x8xf32>, %arg2: tensor<8x4x8xf32>) -> tensor<f32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"stage"}, {}, {"model"}]> : tensor<2x8x16xf32>
    %1 = sdy.sharding_constraint %arg1 <@mesh, [{"stage"}, {"model"}, {}]> : tensor<2x16x8xf32>
    %2 = stablehlo.iota dim = 0 : tensor<2xi32>
    %3 = stablehlo.slice %arg2 [0:1, 0:4, 0:8] : (tensor<8x4x8xf32>) -> tensor<1x4x8xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
    %5 = stablehlo.reshape %4 : (tensor<4x8xf32>) -> tensor<1x4x8xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<1x4x8xf32>) -> tensor<2x4x8xf32>
    %7 = stablehlo.reshape %arg2 : (tensor<8x4x8xf32>) -> tensor<1x8x4x8xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x8x4x8xf32>) -> tensor<8x4x8xf32>
    %9 = stablehlo.slice %8 [7:8, 0:4, 0:8] : (tensor<8x4x8xf32>) -> tensor<1x4x8xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<1x4x8xf32>) -> tensor<2x4x8xf32>
    %11 = stablehlo.concatenate %8, %10, dim = 0 : (tensor<8x4x8xf32>, tensor<2x4x8xf32>) -> tensor<10x4x8xf32>
    %12 = stablehlo.slice %11 [1:10, 0:4, 0:8] : (tensor<10x4x8xf32>) -> tensor<9x4x8xf32>
    %13 = stablehlo.reshape %12 : (tensor<9x4x8xf32>) -> tensor<9x1x4x8xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<9x1x4x8xf32>) -> tensor<9x2x4x8xf32>
    %15 = stablehlo.iota dim = 0 : tensor<9xi32>
    %16 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.constant dense<0.000000e+00> : tensor<9x2x4x8xf32>
    %18:5 = stablehlo.while(%iterArg = %14, %iterArg_0 = %15, %iterArg_1 = %16, %iterArg_2 = %6, %iterArg_3 = %17) : tensor<9x2x4x8xf32>, tensor<9xi32>, tensor<i32>, tensor<2x4x8xf32>, tensor<9x2x4x8xf32>
    cond {
      %29 = stablehlo.constant dense<9> : tensor<i32>
      %30 = stablehlo.compare LT, %iterArg_1, %29, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %30 : tensor<i1>
    } do {
      %29 = stablehlo.constant dense<0> : tensor<i32>
      %30 = stablehlo.dynamic_slice %iterArg, %iterArg_1, %29, %29, %29, sizes = [1, 2, 4, 8] : (tensor<9x2x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x4x8xf32>
      %31 = stablehlo.reshape %30 : (tensor<1x2x4x8xf32>) -> tensor<2x4x8xf32>
      %32 = stablehlo.dynamic_slice %iterArg_0, %iterArg_1, sizes = [1] : (tensor<9xi32>, tensor<i32>) -> tensor<1xi32>
      %33 = stablehlo.reshape %32 : (tensor<1xi32>) -> tensor<i32>
      %34 = stablehlo.broadcast_in_dim %33, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %35 = stablehlo.subtract %34, %2 : tensor<2xi32>
      %36 = stablehlo.constant dense<8> : tensor<i32>
      %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %38 = stablehlo.add %35, %37 : tensor<2xi32>
      %39 = stablehlo.constant dense<8> : tensor<i32>
      %40 = stablehlo.broadcast_in_dim %39, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %41 = stablehlo.remainder %38, %40 : tensor<2xi32>
      %42 = func.call @case_batched(%iterArg_2, %0, %1, %2) : (tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<2x16x8xf32>, tensor<2xi32>) -> tensor<2x4x8xf32>
      %43 = stablehlo.constant dense<1> : tensor<i32>
      %44 = stablehlo.add %33, %43 : tensor<i32>
      %45 = stablehlo.constant dense<8> : tensor<i32>
      %46 = stablehlo.remainder %44, %45 : tensor<i32>
      %47 = stablehlo.constant dense<8> : tensor<i32>
      %48 = stablehlo.compare LT, %46, %47 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %49 = stablehlo.iota dim = 0 : tensor<2x4x8xi32>
      %50 = stablehlo.constant dense<0> : tensor<i32>
      %51 = stablehlo.broadcast_in_dim %50, dims = [] : (tensor<i32>) -> tensor<2x4x8xi32>
      %52 = stablehlo.compare EQ, %49, %51 : (tensor<2x4x8xi32>, tensor<2x4x8xi32>) -> tensor<2x4x8xi1>
      %53 = stablehlo.reverse %42, dims = [0] : tensor<2x4x8xf32>
      %54 = stablehlo.select %52, %31, %53 : tensor<2x4x8xi1>, tensor<2x4x8xf32>
      %55 = stablehlo.constant dense<0> : tensor<i32>
      %56 = stablehlo.reshape %42 : (tensor<2x4x8xf32>) -> tensor<1x2x4x8xf32>
      %57 = stablehlo.dynamic_update_slice %iterArg_3, %56, %iterArg_1, %55, %55, %55 : (tensor<9x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<9x2x4x8xf32>
      %58 = stablehlo.constant dense<1> : tensor<i32>
      %59 = stablehlo.add %iterArg_1, %58 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %59, %54, %57 : tensor<9x2x4x8xf32>, tensor<9xi32>, tensor<i32>, tensor<2x4x8xf32>, tensor<9x2x4x8xf32>
    }
    %19 = stablehlo.slice %18#4 [0:9, 1:2, 0:4, 0:8] : (tensor<9x2x4x8xf32>) -> tensor<9x1x4x8xf32>
    %20 = stablehlo.reshape %19 : (tensor<9x1x4x8xf32>) -> tensor<9x4x8xf32>
    %21 = stablehlo.slice %20 [1:9, 0:4, 0:8] : (tensor<9x4x8xf32>) -> tensor<8x4x8xf32>
    %22 = stablehlo.reshape %21 : (tensor<8x4x8xf32>) -> tensor<1x8x4x8xf32>
    %23 = stablehlo.reshape %22 : (tensor<1x8x4x8xf32>) -> tensor<8x4x8xf32>
    %24 = stablehlo.multiply %23, %23 : tensor<8x4x8xf32>
    %25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.reduce(%24 init: %25) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<f32>
    %27 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %28 = stablehlo.divide %26, %27 : tensor<f32>
    return %28 : tensor<f32>
  }
  func.func private @case(%arg0: tensor<4x8xf32>, %arg1: tensor<8x16xf32>, %arg2: tensor<16x8xf32>, %arg3: tensor<i32>) -> tensor<4x8xf32> {
    %0 = call @checkpoint(%arg0, %arg1, %arg2) {meshwright.checkpoint} : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func private @checkpoint(%arg0: tensor<4x8xf32>, %arg1: tensor<8x16xf32>, %arg2: tensor<16x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %1 = stablehlo.tanh %0 : tensor<4x16xf32>
    %2 = stablehlo.dot_general %1, %arg2, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
    %3 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %5 = stablehlo.multiply %2, %4 : tensor<4x8xf32>
    %6 = stablehlo.tanh %5 : tensor<4x8xf32>
    return %6 : tensor<4x8xf32>
  }
  func.func private @checkpoint_batched(%arg0: tensor<2x4x8xf32>, %arg1: tensor<2x8x16xf32>, %arg2: tensor<2x16x8xf32>) -> tensor<2x4x8xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x8xf32>, tensor<2x8x16xf32>) -> tensor<2x4x16xf32>
    %1 = stablehlo.tanh %0 : tensor<2x4x16xf32>
    %2 = stablehlo.dot_general %1, %arg2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x16xf32>, tensor<2x16x8xf32>) -> tensor<2x4x8xf32>
    %3 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1, 2] : (tensor<4x8xf32>) -> tensor<2x4x8xf32>
    %6 = stablehlo.multiply %2, %5 : tensor<2x4x8xf32>
    %7 = stablehlo.tanh %6 : tensor<2x4x8xf32>
    return %7 : tensor<2x4x8xf32>
  }
  func.func private @case_batched(%arg0: tensor<2x4x8xf32>, %arg1: tensor<2x8x16xf32>, %arg2: tensor<2x16x8xf32>, %arg3: tensor<2xi32>) -> tensor<2x4x8xf32> {
    %0 = call @checkpoint_batched(%arg0, %arg1, %arg2) {meshwright.checkpoint} : (tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<2x16x8xf32>) -> tensor<2x4x8xf32>
    return %0 : tensor<2x4x8xf32>
  }
  func.func private @checkpoint_batched_again(%arg0: tensor<2x4x8xf32>, %arg1: tensor<2x8x16xf32>, %arg2: tensor<2x16x8xf32>, %arg3: tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<2x16x8xf32>) {
    %0:4 = stablehlo.optimization_barrier %arg0, %arg1, %arg2, %arg3 : tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<2x16x8xf32>, tensor<2x4x8xf32>
    %1 = stablehlo.dot_general %0#0, %0#1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x8xf32>, tensor<2x8x16xf32>) -> tensor<2x4x16xf32>
    %2 = stablehlo.tanh %1 : tensor<2x4x16xf32>
    %3 = stablehlo.dot_general %2, %0#2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x16xf32>, tensor<2x16x8xf32>) -> tensor<2x4x8xf32>
    %4 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [1, 2] : (tensor<4x8xf32>) -> tensor<2x4x8xf32>
    %7 = stablehlo.multiply %3, %6 : tensor<2x4x8xf32>
    %8 = stablehlo.tanh %7 : tensor<2x4x8xf32>
    %9 = stablehlo.multiply %8, %8 : tensor<2x4x8xf32>
    %10 = stablehlo.constant dense<1.000000e+00> : tensor<2x4x8xf32>
    %11 = stablehlo.subtract %10, %9 : tensor<2x4x8xf32>
    %12 = stablehlo.multiply %0#3, %11 : tensor<2x4x8xf32>
    %13 = stablehlo.multiply %12, %6 : tensor<2x4x8xf32>
    %14 = stablehlo.dot_general %13, %0#2, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x4x8xf32>, tensor<2x16x8xf32>) -> tensor<2x4x16xf32>
    %15 = stablehlo.dot_general %2, %13, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x4x16xf32>, tensor<2x4x8xf32>) -> tensor<2x16x8xf32>
    %16 = stablehlo.multiply %2, %2 : tensor<2x4x16xf32>
    %17 = stablehlo.constant dense<1.000000e+00> : tensor<2x4x16xf32>
    %18 = stablehlo.subtract %17, %16 : tensor<2x4x16xf32>
    %19 = stablehlo.multiply %14, %18 : tensor<2x4x16xf32>
    %20 = stablehlo.dot_general %19, %0#1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x4x16xf32>, tensor<2x8x16xf32>) -> tensor<2x4x8xf32>
    %21 = stablehlo.dot_general %0#0, %19, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x4x8xf32>, tensor<2x4x16xf32>) -> tensor<2x8x16xf32>
    return %20, %21, %15 : tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<2x16x8xf32>
  }
  func.func private @case_batched_backward(%arg0: tensor<2x4x8xf32>, %arg1: tensor<2x8x16xf32>, %arg2: tensor<2x16x8xf32>, %arg3: tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<2x16x8xf32>) {
    %0:3 = call @checkpoint_batched_again(%arg0, %arg1, %arg2, %arg3) : (tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<2x16x8xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<2x16x8xf32>)
    return %0#0, %0#1, %0#2 : tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<2x16x8xf32>
  }
  func.func private @loss_grad(%arg0: tensor<2x8x16xf32>, %arg1: tensor<2x16x8xf32>, %arg2: tensor<8x4x8xf32>) -> (tensor<f32>, tensor<2x8x16xf32>, tensor<2x16x8xf32>) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"stage"}, {}, {"model"}]> : tensor<2x8x16xf32>
    %1 = sdy.sharding_constraint %arg1 <@mesh, [{"stage"}, {"model"}, {}]> : tensor<2x16x8xf32>
    %2 = stablehlo.iota dim = 0 : tensor<2xi32>
    %3 = stablehlo.slice %arg2 [0:1, 0:4, 0:8] : (tensor<8x4x8xf32>) -> tensor<1x4x8xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
    %5 = stablehlo.reshape %4 : (tensor<4x8xf32>) -> tensor<1x4x8xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<1x4x8xf32>) -> tensor<2x4x8xf32>
    %7 = stablehlo.reshape %arg2 : (tensor<8x4x8xf32>) -> tensor<1x8x4x8xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x8x4x8xf32>) -> tensor<8x4x8xf32>
    %9 = stablehlo.slice %8 [7:8, 0:4, 0:8] : (tensor<8x4x8xf32>) -> tensor<1x4x8xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<1x4x8xf32>) -> tensor<2x4x8xf32>
    %11 = stablehlo.concatenate %8, %10, dim = 0 : (tensor<8x4x8xf32>, tensor<2x4x8xf32>) -> tensor<10x4x8xf32>
    %12 = stablehlo.slice %11 [1:10, 0:4, 0:8] : (tensor<10x4x8xf32>) -> tensor<9x4x8xf32>
    %13 = stablehlo.reshape %12 : (tensor<9x4x8xf32>) -> tensor<9x1x4x8xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<9x1x4x8xf32>) -> tensor<9x2x4x8xf32>
    %15 = stablehlo.iota dim = 0 : tensor<9xi32>
    %16 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.constant dense<0.000000e+00> : tensor<9x2x4x8xf32>
    %18 = stablehlo.constant dense<0.000000e+00> : tensor<9x2x4x8xf32>
    %19:6 = stablehlo.while(%iterArg = %14, %iterArg_0 = %15, %iterArg_1 = %16, %iterArg_2 = %6, %iterArg_3 = %17, %iterArg_4 = %18) : tensor<9x2x4x8xf32>, tensor<9xi32>, tensor<i32>, tensor<2x4x8xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>
    cond {
      %48 = stablehlo.constant dense<9> : tensor<i32>
      %49 = stablehlo.compare LT, %iterArg_1, %48, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %49 : tensor<i1>
    } do {
      %48 = stablehlo.constant dense<0> : tensor<i32>
      %49 = stablehlo.dynamic_slice %iterArg, %iterArg_1, %48, %48, %48, sizes = [1, 2, 4, 8] : (tensor<9x2x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x4x8xf32>
      %50 = stablehlo.reshape %49 : (tensor<1x2x4x8xf32>) -> tensor<2x4x8xf32>
      %51 = stablehlo.dynamic_slice %iterArg_0, %iterArg_1, sizes = [1] : (tensor<9xi32>, tensor<i32>) -> tensor<1xi32>
      %52 = stablehlo.reshape %51 : (tensor<1xi32>) -> tensor<i32>
      %53 = func.call @case_batched(%iterArg_2, %0, %1, %2) : (tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<2x16x8xf32>, tensor<2xi32>) -> tensor<2x4x8xf32>
      %54 = stablehlo.iota dim = 0 : tensor<2x4x8xi32>
      %55 = stablehlo.constant dense<0> : tensor<i32>
      %56 = stablehlo.broadcast_in_dim %55, dims = [] : (tensor<i32>) -> tensor<2x4x8xi32>
      %57 = stablehlo.compare EQ, %54, %56 : (tensor<2x4x8xi32>, tensor<2x4x8xi32>) -> tensor<2x4x8xi1>
      %58 = stablehlo.reverse %53, dims = [0] : tensor<2x4x8xf32>
      %59 = stablehlo.select %57, %50, %58 : tensor<2x4x8xi1>, tensor<2x4x8xf32>
      %60 = stablehlo.constant dense<0> : tensor<i32>
      %61 = stablehlo.reshape %53 : (tensor<2x4x8xf32>) -> tensor<1x2x4x8xf32>
      %62 = stablehlo.dynamic_update_slice %iterArg_3, %61, %iterArg_1, %60, %60, %60 : (tensor<9x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<9x2x4x8xf32>
      %63 = stablehlo.constant dense<0> : tensor<i32>
      %64 = stablehlo.reshape %iterArg_2 : (tensor<2x4x8xf32>) -> tensor<1x2x4x8xf32>
      %65 = stablehlo.dynamic_update_slice %iterArg_4, %64, %iterArg_1, %63, %63, %63 : (tensor<9x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<9x2x4x8xf32>
      %66 = stablehlo.constant dense<1> : tensor<i32>
      %67 = stablehlo.add %iterArg_1, %66 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %67, %59, %62, %65 : tensor<9x2x4x8xf32>, tensor<9xi32>, tensor<i32>, tensor<2x4x8xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>
    }
    %20 = stablehlo.slice %19#4 [0:9, 1:2, 0:4, 0:8] : (tensor<9x2x4x8xf32>) -> tensor<9x1x4x8xf32>
    %21 = stablehlo.reshape %20 : (tensor<9x1x4x8xf32>) -> tensor<9x4x8xf32>
    %22 = stablehlo.slice %21 [1:9, 0:4, 0:8] : (tensor<9x4x8xf32>) -> tensor<8x4x8xf32>
    %23 = stablehlo.reshape %22 : (tensor<8x4x8xf32>) -> tensor<1x8x4x8xf32>
    %24 = stablehlo.reshape %23 : (tensor<1x8x4x8xf32>) -> tensor<8x4x8xf32>
    %25 = stablehlo.multiply %24, %24 : tensor<8x4x8xf32>
    %26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.reduce(%25 init: %26) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<f32>
    %28 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %29 = stablehlo.divide %27, %28 : tensor<f32>
    %30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %31 = stablehlo.divide %30, %28 : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [] : (tensor<f32>) -> tensor<8x4x8xf32>
    %33 = stablehlo.multiply %32, %24 : tensor<8x4x8xf32>
    %34 = stablehlo.add %33, %33 : tensor<8x4x8xf32>
    %35 = stablehlo.reshape %34 : (tensor<8x4x8xf32>) -> tensor<1x8x4x8xf32>
    %36 = stablehlo.reshape %35 : (tensor<1x8x4x8xf32>) -> tensor<8x4x8xf32>
    %37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.pad %36, %37, low = [1, 0, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<9x4x8xf32>
    %39 = stablehlo.reshape %38 : (tensor<9x4x8xf32>) -> tensor<9x1x4x8xf32>
    %40 = stablehlo.pad %39, %37, low = [0, 1, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<9x1x4x8xf32>, tensor<f32>) -> tensor<9x2x4x8xf32>
    %41 = stablehlo.constant dense<0.000000e+00> : tensor<2x4x8xf32>
    %42 = stablehlo.constant dense<0.000000e+00> : tensor<2x8x16xf32>
    %43 = stablehlo.constant dense<0.000000e+00> : tensor<2x16x8xf32>
    %44 = stablehlo.constant dense<0> : tensor<i32>
    %45:6 = stablehlo.while(%iterArg = %40, %iterArg_0 = %19#5, %iterArg_1 = %44, %iterArg_2 = %41, %iterArg_3 = %42, %iterArg_4 = %43) : tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>, tensor<i32>, tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<2x16x8xf32>
    cond {
      %48 = stablehlo.constant dense<9> : tensor<i32>
      %49 = stablehlo.compare LT, %iterArg_1, %48, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %49 : tensor<i1>
    } do {
      %48 = stablehlo.constant dense<8> : tensor<i32>
      %49 = stablehlo.subtract %48, %iterArg_1 : tensor<i32>
      %50 = stablehlo.constant dense<0> : tensor<i32>
      %51 = stablehlo.dynamic_slice %iterArg, %49, %50, %50, %50, sizes = [1, 2, 4, 8] : (tensor<9x2x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x4x8xf32>
      %52 = stablehlo.reshape %51 : (tensor<1x2x4x8xf32>) -> tensor<2x4x8xf32>
      %53 = stablehlo.constant dense<0> : tensor<i32>
      %54 = stablehlo.dynamic_slice %iterArg_0, %49, %53, %53, %53, sizes = [1, 2, 4, 8] : (tensor<9x2x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x4x8xf32>
      %55 = stablehlo.reshape %54 : (tensor<1x2x4x8xf32>) -> tensor<2x4x8xf32>
      %56 = stablehlo.iota dim = 0 : tensor<2x4x8xi32>
      %57 = stablehlo.constant dense<0> : tensor<i32>
      %58 = stablehlo.broadcast_in_dim %57, dims = [] : (tensor<i32>) -> tensor<2x4x8xi32>
      %59 = stablehlo.compare EQ, %56, %58 : (tensor<2x4x8xi32>, tensor<2x4x8xi32>) -> tensor<2x4x8xi1>
      %60 = stablehlo.constant dense<0.000000e+00> : tensor<2x4x8xf32>
      %61 = stablehlo.select %59, %60, %iterArg_2 : tensor<2x4x8xi1>, tensor<2x4x8xf32>
      %62 = stablehlo.reverse %61, dims = [0] : tensor<2x4x8xf32>
      %63 = stablehlo.add %52, %62 : tensor<2x4x8xf32>
      %64:3 = func.call @case_batched_backward(%55, %0, %1, %63) : (tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<2x16x8xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<2x16x8xf32>)
      %65 = stablehlo.add %iterArg_3, %64#1 : tensor<2x8x16xf32>
      %66 = stablehlo.add %iterArg_4, %64#2 : tensor<2x16x8xf32>
      %67 = stablehlo.constant dense<1> : tensor<i32>
      %68 = stablehlo.add %iterArg_1, %67 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %68, %64#0, %65, %66 : tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>, tensor<i32>, tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<2x16x8xf32>
    }
    %46 = sdy.sharding_constraint %45#5 <@mesh, [{"stage"}, {"model"}, {}]> : tensor<2x16x8xf32>
    %47 = sdy.sharding_constraint %45#4 <@mesh, [{"stage"}, {}, {"model"}]> : tensor<2x8x16xf32>
    return %29, %47, %46 : tensor<f32>, tensor<2x8x16xf32>, tensor<2x16x8xf32>
  }
}
//| --- collectives devices=8
//| 2 all-reduce over {"data"}: 516 bytes
//| 27 all-reduce over {"model"}: 1728 bytes
//| 1 all-reduce over {"stage"}: 512 bytes
//| 18 permute: 1152 bytes
//| 18432 flops in contractions
//| --- equal devices=8 seeds=1
//| seed 0: result 0 differs: a difference within rounding
//| seed 0: result 1 differs: a difference within rounding
//| seed 0: result 2 differs: a difference within rounding
