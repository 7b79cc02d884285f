// test collectives devices=8
// test equal devices=8 seeds=1
// GSPMD 3.3, stage=8: 8 microbatches in 8 stages, each stage a layer in each of two rounds, computed again in the backward pass. 23 trips send a permute
// of a microbatch's shard in either direction, 46 in all; no weight leaves its stage, and weights' gradients stay where the weights are.
module @main {
  sdy.mesh @mesh = <["stage"=8]>
  func.func public @main(%x: tensor<8x4x8xf32>, %up: tensor<8x2x8x16xf32>, %down: tensor<8x2x16x8xf32>) -> (tensor<f32> {jax.result_info = "0"}, tensor<8x2x8x16xf32> {jax.result_info = "1.0"}, tensor<8x2x16x8xf32> {jax.result_info = "1.1"}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{}, {}, {}]> : tensor<8x4x8xf32>
    %1:3 = call @loss_grad(%up, %down, %0) : (tensor<8x2x8x16xf32>, tensor<8x2x16x8xf32>, tensor<8x4x8xf32>) -> (tensor<f32>, tensor<8x2x8x16xf32>, tensor<8x2x16x8xf32>)
    return %1#0, %1#1, %1#2 : tensor<f32>, tensor<8x2x8x16xf32>, tensor<8x2x16x8xf32>
  }
  func.func private @loss(%arg0: tensor<8x2x8x16xf32>, %arg1: tensor<8x2x16x8xf32>, %arg2: tensor<8x4x8xf32>) -> tensor<f32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"stage"}, {}, {}, {}]> : tensor<8x2x8x16xf32>
    %1 = sdy.sharding_constraint %arg1 <@mesh, [{"stage"}, {}, {}, {}]> : tensor<8x2x16x8xf32>
    %2 = stablehlo.iota dim = 0 : tensor<8xi32>
    %3 = stablehlo.slice %arg2 [0:1, 0:4, 0:8] : (tensor<8x4x8xf32>) -> tensor<1x4x8xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
    %5 = stablehlo.reshape %4 : (tensor<4x8xf32>) -> tensor<1x4x8xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<1x4x8xf32>) -> tensor<8x4x8xf32>
    %7 = stablehlo.reshape %arg2 : (tensor<8x4x8xf32>) -> tensor<1x8x4x8xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x8x4x8xf32>) -> tensor<1x1x8x4x8xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3, 4] : (tensor<1x1x8x4x8xf32>) -> tensor<1x2x8x4x8xf32>
    %10 = stablehlo.reshape %9 : (tensor<1x2x8x4x8xf32>) -> tensor<16x4x8xf32>
    %11 = stablehlo.slice %10 [15:16, 0:4, 0:8] : (tensor<16x4x8xf32>) -> tensor<1x4x8xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<1x4x8xf32>) -> tensor<8x4x8xf32>
    %13 = stablehlo.concatenate %10, %12, dim = 0 : (tensor<16x4x8xf32>, tensor<8x4x8xf32>) -> tensor<24x4x8xf32>
    %14 = stablehlo.slice %13 [1:24, 0:4, 0:8] : (tensor<24x4x8xf32>) -> tensor<23x4x8xf32>
    %15 = stablehlo.reshape %14 : (tensor<23x4x8xf32>) -> tensor<23x1x4x8xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2, 3] : (tensor<23x1x4x8xf32>) -> tensor<23x8x4x8xf32>
    %17 = stablehlo.iota dim = 0 : tensor<23xi32>
    %18 = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.constant dense<0.000000e+00> : tensor<23x8x4x8xf32>
    %20:5 = stablehlo.while(%iterArg = %16, %iterArg_0 = %17, %iterArg_1 = %18, %iterArg_2 = %6, %iterArg_3 = %19) : tensor<23x8x4x8xf32>, tensor<23xi32>, tensor<i32>, tensor<8x4x8xf32>, tensor<23x8x4x8xf32>
    cond {
      %35 = stablehlo.constant dense<23> : tensor<i32>
      %36 = stablehlo.compare LT, %iterArg_1, %35, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %36 : tensor<i1>
    } do {
      %35 = stablehlo.constant dense<0> : tensor<i32>
      %36 = stablehlo.dynamic_slice %iterArg, %iterArg_1, %35, %35, %35, sizes = [1, 8, 4, 8] : (tensor<23x8x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4x8xf32>
      %37 = stablehlo.reshape %36 : (tensor<1x8x4x8xf32>) -> tensor<8x4x8xf32>
      %38 = stablehlo.dynamic_slice %iterArg_0, %iterArg_1, sizes = [1] : (tensor<23xi32>, tensor<i32>) -> tensor<1xi32>
      %39 = stablehlo.reshape %38 : (tensor<1xi32>) -> tensor<i32>
      %40 = stablehlo.broadcast_in_dim %39, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %41 = stablehlo.subtract %40, %2 : tensor<8xi32>
      %42 = stablehlo.constant dense<16> : tensor<i32>
      %43 = stablehlo.broadcast_in_dim %42, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %44 = stablehlo.add %41, %43 : tensor<8xi32>
      %45 = stablehlo.constant dense<16> : tensor<i32>
      %46 = stablehlo.broadcast_in_dim %45, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %47 = stablehlo.remainder %44, %46 : tensor<8xi32>
      %48 = stablehlo.constant dense<8> : tensor<i32>
      %49 = stablehlo.broadcast_in_dim %48, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %50 = stablehlo.divide %47, %49 : tensor<8xi32>
      %51 = func.call @case_batched(%iterArg_2, %0, %1, %50) : (tensor<8x4x8xf32>, tensor<8x2x8x16xf32>, tensor<8x2x16x8xf32>, tensor<8xi32>) -> tensor<8x4x8xf32>
      %52 = stablehlo.constant dense<1> : tensor<i32>
      %53 = stablehlo.add %39, %52 : tensor<i32>
      %54 = stablehlo.constant dense<16> : tensor<i32>
      %55 = stablehlo.remainder %53, %54 : tensor<i32>
      %56 = stablehlo.constant dense<8> : tensor<i32>
      %57 = stablehlo.compare LT, %55, %56 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %58 = stablehlo.iota dim = 0 : tensor<8x4x8xi32>
      %59 = stablehlo.constant dense<0> : tensor<i32>
      %60 = stablehlo.broadcast_in_dim %59, dims = [] : (tensor<i32>) -> tensor<8x4x8xi32>
      %61 = stablehlo.compare EQ, %58, %60 : (tensor<8x4x8xi32>, tensor<8x4x8xi32>) -> tensor<8x4x8xi1>
      %62 = stablehlo.broadcast_in_dim %57, dims = [] : (tensor<i1>) -> tensor<8x4x8xi1>
      %63 = stablehlo.and %61, %62 : tensor<8x4x8xi1>
      %64 = stablehlo.slice %51 [7:8, 0:4, 0:8] : (tensor<8x4x8xf32>) -> tensor<1x4x8xf32>
      %65 = stablehlo.slice %51 [0:7, 0:4, 0:8] : (tensor<8x4x8xf32>) -> tensor<7x4x8xf32>
      %66 = stablehlo.concatenate %64, %65, dim = 0 : (tensor<1x4x8xf32>, tensor<7x4x8xf32>) -> tensor<8x4x8xf32>
      %67 = stablehlo.select %63, %37, %66 : tensor<8x4x8xi1>, tensor<8x4x8xf32>
      %68 = stablehlo.constant dense<0> : tensor<i32>
      %69 = stablehlo.reshape %51 : (tensor<8x4x8xf32>) -> tensor<1x8x4x8xf32>
      %70 = stablehlo.dynamic_update_slice %iterArg_3, %69, %iterArg_1, %68, %68, %68 : (tensor<23x8x4x8xf32>, tensor<1x8x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<23x8x4x8xf32>
      %71 = stablehlo.constant dense<1> : tensor<i32>
      %72 = stablehlo.add %iterArg_1, %71 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %72, %67, %70 : tensor<23x8x4x8xf32>, tensor<23xi32>, tensor<i32>, tensor<8x4x8xf32>, tensor<23x8x4x8xf32>
    }
    %21 = stablehlo.slice %20#4 [0:23, 7:8, 0:4, 0:8] : (tensor<23x8x4x8xf32>) -> tensor<23x1x4x8xf32>
    %22 = stablehlo.reshape %21 : (tensor<23x1x4x8xf32>) -> tensor<23x4x8xf32>
    %23 = stablehlo.slice %22 [15:23, 0:4, 0:8] : (tensor<23x4x8xf32>) -> tensor<8x4x8xf32>
    %24 = stablehlo.slice %23 [7:8, 0:4, 0:8] : (tensor<8x4x8xf32>) -> tensor<1x4x8xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2] : (tensor<1x4x8xf32>) -> tensor<8x4x8xf32>
    %26 = stablehlo.concatenate %23, %25, dim = 0 : (tensor<8x4x8xf32>, tensor<8x4x8xf32>) -> tensor<16x4x8xf32>
    %27 = stablehlo.reshape %26 : (tensor<16x4x8xf32>) -> tensor<1x16x4x8xf32>
    %28 = stablehlo.slice %27 [0:1, 0:8, 0:4, 0:8] : (tensor<1x16x4x8xf32>) -> tensor<1x8x4x8xf32>
    %29 = stablehlo.reshape %28 : (tensor<1x8x4x8xf32>) -> tensor<8x4x8xf32>
    %30 = stablehlo.multiply %29, %29 : tensor<8x4x8xf32>
    %31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.reduce(%30 init: %31) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<f32>
    %33 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %34 = stablehlo.divide %32, %33 : tensor<f32>
    return %34 : tensor<f32>
  }
  func.func private @case(%arg0: tensor<4x8xf32>, %arg1: tensor<2x8x16xf32>, %arg2: tensor<2x16x8xf32>, %arg3: tensor<i32>) -> tensor<4x8xf32> {
    %0 = call @checkpoint(%arg1, %arg3, %arg2, %arg0) {meshwright.checkpoint} : (tensor<2x8x16xf32>, tensor<i32>, tensor<2x16x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func private @checkpoint(%arg0: tensor<2x8x16xf32>, %arg1: tensor<i32>, %arg2: tensor<2x16x8xf32>, %arg3: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.dynamic_slice %arg0, %arg1, %0, %1, sizes = [1, 8, 16] : (tensor<2x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x8x16xf32>) -> tensor<8x16xf32>
    %4 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.dynamic_slice %arg2, %arg1, %4, %5, sizes = [1, 16, 8] : (tensor<2x16x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x8xf32>
    %7 = stablehlo.reshape %6 : (tensor<1x16x8xf32>) -> tensor<16x8xf32>
    %8 = stablehlo.dot_general %arg3, %3, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %9 = stablehlo.tanh %8 : tensor<4x16xf32>
    %10 = stablehlo.dot_general %9, %7, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
    %11 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %13 = stablehlo.multiply %10, %12 : tensor<4x8xf32>
    %14 = stablehlo.tanh %13 : tensor<4x8xf32>
    return %14 : tensor<4x8xf32>
  }
  func.func private @checkpoint_batched(%arg0: tensor<8x2x8x16xf32>, %arg1: tensor<8xi32>, %arg2: tensor<8x2x16x8xf32>, %arg3: tensor<8x4x8xf32>) -> tensor<8x4x8xf32> {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.reshape %arg1 : (tensor<8xi32>) -> tensor<8x1xi32>
    %3 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %4 = stablehlo.reshape %3 : (tensor<8xi32>) -> tensor<8x1xi32>
    %5 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %6 = stablehlo.reshape %5 : (tensor<8xi32>) -> tensor<8x1xi32>
    %7 = stablehlo.concatenate %2, %4, %6, dim = 1 : (tensor<8x1xi32>, tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x3xi32>
    %8 = "stablehlo.gather"(%arg0, %7) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2, 3], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 8, 16>}> : (tensor<8x2x8x16xf32>, tensor<8x3xi32>) -> tensor<8x1x8x16xf32>
    %9 = stablehlo.reshape %8 : (tensor<8x1x8x16xf32>) -> tensor<8x8x16xf32>
    %10 = stablehlo.constant dense<0> : tensor<i32>
    %11 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.reshape %arg1 : (tensor<8xi32>) -> tensor<8x1xi32>
    %13 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %14 = stablehlo.reshape %13 : (tensor<8xi32>) -> tensor<8x1xi32>
    %15 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %16 = stablehlo.reshape %15 : (tensor<8xi32>) -> tensor<8x1xi32>
    %17 = stablehlo.concatenate %12, %14, %16, dim = 1 : (tensor<8x1xi32>, tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x3xi32>
    %18 = "stablehlo.gather"(%arg2, %17) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2, 3], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 16, 8>}> : (tensor<8x2x16x8xf32>, tensor<8x3xi32>) -> tensor<8x1x16x8xf32>
    %19 = stablehlo.reshape %18 : (tensor<8x1x16x8xf32>) -> tensor<8x16x8xf32>
    %20 = stablehlo.dot_general %arg3, %9, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x4x8xf32>, tensor<8x8x16xf32>) -> tensor<8x4x16xf32>
    %21 = stablehlo.tanh %20 : tensor<8x4x16xf32>
    %22 = stablehlo.dot_general %21, %19, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x4x16xf32>, tensor<8x16x8xf32>) -> tensor<8x4x8xf32>
    %23 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [1, 2] : (tensor<4x8xf32>) -> tensor<8x4x8xf32>
    %26 = stablehlo.multiply %22, %25 : tensor<8x4x8xf32>
    %27 = stablehlo.tanh %26 : tensor<8x4x8xf32>
    return %27 : tensor<8x4x8xf32>
  }
  func.func private @case_batched(%arg0: tensor<8x4x8xf32>, %arg1: tensor<8x2x8x16xf32>, %arg2: tensor<8x2x16x8xf32>, %arg3: tensor<8xi32>) -> tensor<8x4x8xf32> {
    %0 = call @checkpoint_batched(%arg1, %arg3, %arg2, %arg0) {meshwright.checkpoint} : (tensor<8x2x8x16xf32>, tensor<8xi32>, tensor<8x2x16x8xf32>, tensor<8x4x8xf32>) -> tensor<8x4x8xf32>
    return %0 : tensor<8x4x8xf32>
  }
  func.func private @checkpoint_batched_again(%arg0: tensor<8x2x8x16xf32>, %arg1: tensor<8xi32>, %arg2: tensor<8x2x16x8xf32>, %arg3: tensor<8x4x8xf32>, %arg4: tensor<8x4x8xf32>) -> (tensor<8x2x8x16xf32>, tensor<8x2x16x8xf32>, tensor<8x4x8xf32>) {
    %0:5 = stablehlo.optimization_barrier %arg0, %arg1, %arg2, %arg3, %arg4 : tensor<8x2x8x16xf32>, tensor<8xi32>, tensor<8x2x16x8xf32>, tensor<8x4x8xf32>, tensor<8x4x8xf32>
    %1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.reshape %0#1 : (tensor<8xi32>) -> tensor<8x1xi32>
    %4 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %5 = stablehlo.reshape %4 : (tensor<8xi32>) -> tensor<8x1xi32>
    %6 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %7 = stablehlo.reshape %6 : (tensor<8xi32>) -> tensor<8x1xi32>
    %8 = stablehlo.concatenate %3, %5, %7, dim = 1 : (tensor<8x1xi32>, tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x3xi32>
    %9 = "stablehlo.gather"(%0#0, %8) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2, 3], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 8, 16>}> : (tensor<8x2x8x16xf32>, tensor<8x3xi32>) -> tensor<8x1x8x16xf32>
    %10 = stablehlo.reshape %9 : (tensor<8x1x8x16xf32>) -> tensor<8x8x16xf32>
    %11 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.reshape %0#1 : (tensor<8xi32>) -> tensor<8x1xi32>
    %14 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %15 = stablehlo.reshape %14 : (tensor<8xi32>) -> tensor<8x1xi32>
    %16 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %17 = stablehlo.reshape %16 : (tensor<8xi32>) -> tensor<8x1xi32>
    %18 = stablehlo.concatenate %13, %15, %17, dim = 1 : (tensor<8x1xi32>, tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x3xi32>
    %19 = "stablehlo.gather"(%0#2, %18) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2, 3], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 16, 8>}> : (tensor<8x2x16x8xf32>, tensor<8x3xi32>) -> tensor<8x1x16x8xf32>
    %20 = stablehlo.reshape %19 : (tensor<8x1x16x8xf32>) -> tensor<8x16x8xf32>
    %21 = stablehlo.dot_general %0#3, %10, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x4x8xf32>, tensor<8x8x16xf32>) -> tensor<8x4x16xf32>
    %22 = stablehlo.tanh %21 : tensor<8x4x16xf32>
    %23 = stablehlo.dot_general %22, %20, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x4x16xf32>, tensor<8x16x8xf32>) -> tensor<8x4x8xf32>
    %24 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2] : (tensor<4x8xf32>) -> tensor<8x4x8xf32>
    %27 = stablehlo.multiply %23, %26 : tensor<8x4x8xf32>
    %28 = stablehlo.tanh %27 : tensor<8x4x8xf32>
    %29 = stablehlo.multiply %28, %28 : tensor<8x4x8xf32>
    %30 = stablehlo.constant dense<1.000000e+00> : tensor<8x4x8xf32>
    %31 = stablehlo.subtract %30, %29 : tensor<8x4x8xf32>
    %32 = stablehlo.multiply %0#4, %31 : tensor<8x4x8xf32>
    %33 = stablehlo.multiply %32, %26 : tensor<8x4x8xf32>
    %34 = stablehlo.dot_general %33, %20, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x4x8xf32>, tensor<8x16x8xf32>) -> tensor<8x4x16xf32>
    %35 = stablehlo.dot_general %22, %33, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<8x4x16xf32>, tensor<8x4x8xf32>) -> tensor<8x16x8xf32>
    %36 = stablehlo.multiply %22, %22 : tensor<8x4x16xf32>
    %37 = stablehlo.constant dense<1.000000e+00> : tensor<8x4x16xf32>
    %38 = stablehlo.subtract %37, %36 : tensor<8x4x16xf32>
    %39 = stablehlo.multiply %34, %38 : tensor<8x4x16xf32>
    %40 = stablehlo.dot_general %39, %10, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x4x16xf32>, tensor<8x8x16xf32>) -> tensor<8x4x8xf32>
    %41 = stablehlo.dot_general %0#3, %39, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<8x4x8xf32>, tensor<8x4x16xf32>) -> tensor<8x8x16xf32>
    %42 = stablehlo.reshape %35 : (tensor<8x16x8xf32>) -> tensor<8x1x16x8xf32>
    %43 = stablehlo.constant dense<0> : tensor<8x3xi32>
    %44 = stablehlo.constant dense<[1, 0, 0]> : tensor<3xi32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [1] : (tensor<3xi32>) -> tensor<8x3xi32>
    %46 = stablehlo.clamp %43, %18, %45 : tensor<8x3xi32>
    %47 = stablehlo.constant dense<0.000000e+00> : tensor<8x2x16x8xf32>
    %48 = "stablehlo.scatter"(%47, %46, %42) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2, 3], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %55 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %55 : tensor<f32>
    }) : (tensor<8x2x16x8xf32>, tensor<8x3xi32>, tensor<8x1x16x8xf32>) -> tensor<8x2x16x8xf32>
    %49 = stablehlo.reshape %41 : (tensor<8x8x16xf32>) -> tensor<8x1x8x16xf32>
    %50 = stablehlo.constant dense<[1, 0, 0]> : tensor<3xi32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [1] : (tensor<3xi32>) -> tensor<8x3xi32>
    %52 = stablehlo.clamp %43, %8, %51 : tensor<8x3xi32>
    %53 = stablehlo.constant dense<0.000000e+00> : tensor<8x2x8x16xf32>
    %54 = "stablehlo.scatter"(%53, %52, %49) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2, 3], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %55 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %55 : tensor<f32>
    }) : (tensor<8x2x8x16xf32>, tensor<8x3xi32>, tensor<8x1x8x16xf32>) -> tensor<8x2x8x16xf32>
    return %54, %48, %40 : tensor<8x2x8x16xf32>, tensor<8x2x16x8xf32>, tensor<8x4x8xf32>
  }
  func.func private @case_batched_backward(%arg0: tensor<8x2x8x16xf32>, %arg1: tensor<8xi32>, %arg2: tensor<8x2x16x8xf32>, %arg3: tensor<8x4x8xf32>, %arg4: tensor<8x4x8xf32>) -> (tensor<8x4x8xf32>, tensor<8x2x8x16xf32>, tensor<8x2x16x8xf32>) {
    %0:3 = call @checkpoint_batched_again(%arg0, %arg1, %arg2, %arg3, %arg4) : (tensor<8x2x8x16xf32>, tensor<8xi32>, tensor<8x2x16x8xf32>, tensor<8x4x8xf32>, tensor<8x4x8xf32>) -> (tensor<8x2x8x16xf32>, tensor<8x2x16x8xf32>, tensor<8x4x8xf32>)
    return %0#2, %0#0, %0#1 : tensor<8x4x8xf32>, tensor<8x2x8x16xf32>, tensor<8x2x16x8xf32>
  }
  func.func private @loss_grad(%arg0: tensor<8x2x8x16xf32>, %arg1: tensor<8x2x16x8xf32>, %arg2: tensor<8x4x8xf32>) -> (tensor<f32>, tensor<8x2x8x16xf32>, tensor<8x2x16x8xf32>) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"stage"}, {}, {}, {}]> : tensor<8x2x8x16xf32>
    %1 = sdy.sharding_constraint %arg1 <@mesh, [{"stage"}, {}, {}, {}]> : tensor<8x2x16x8xf32>
    %2 = stablehlo.iota dim = 0 : tensor<8xi32>
    %3 = stablehlo.slice %arg2 [0:1, 0:4, 0:8] : (tensor<8x4x8xf32>) -> tensor<1x4x8xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
    %5 = stablehlo.reshape %4 : (tensor<4x8xf32>) -> tensor<1x4x8xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<1x4x8xf32>) -> tensor<8x4x8xf32>
    %7 = stablehlo.reshape %arg2 : (tensor<8x4x8xf32>) -> tensor<1x8x4x8xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x8x4x8xf32>) -> tensor<1x1x8x4x8xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3, 4] : (tensor<1x1x8x4x8xf32>) -> tensor<1x2x8x4x8xf32>
    %10 = stablehlo.reshape %9 : (tensor<1x2x8x4x8xf32>) -> tensor<16x4x8xf32>
    %11 = stablehlo.slice %10 [15:16, 0:4, 0:8] : (tensor<16x4x8xf32>) -> tensor<1x4x8xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<1x4x8xf32>) -> tensor<8x4x8xf32>
    %13 = stablehlo.concatenate %10, %12, dim = 0 : (tensor<16x4x8xf32>, tensor<8x4x8xf32>) -> tensor<24x4x8xf32>
    %14 = stablehlo.slice %13 [1:24, 0:4, 0:8] : (tensor<24x4x8xf32>) -> tensor<23x4x8xf32>
    %15 = stablehlo.reshape %14 : (tensor<23x4x8xf32>) -> tensor<23x1x4x8xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2, 3] : (tensor<23x1x4x8xf32>) -> tensor<23x8x4x8xf32>
    %17 = stablehlo.iota dim = 0 : tensor<23xi32>
    %18 = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.constant dense<0.000000e+00> : tensor<23x8x4x8xf32>
    %20 = stablehlo.constant dense<0.000000e+00> : tensor<23x8x4x8xf32>
    %21:6 = stablehlo.while(%iterArg = %16, %iterArg_0 = %17, %iterArg_1 = %18, %iterArg_2 = %6, %iterArg_3 = %19, %iterArg_4 = %20) : tensor<23x8x4x8xf32>, tensor<23xi32>, tensor<i32>, tensor<8x4x8xf32>, tensor<23x8x4x8xf32>, tensor<23x8x4x8xf32>
    cond {
      %61 = stablehlo.constant dense<23> : tensor<i32>
      %62 = stablehlo.compare LT, %iterArg_1, %61, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %62 : tensor<i1>
    } do {
      %61 = stablehlo.constant dense<0> : tensor<i32>
      %62 = stablehlo.dynamic_slice %iterArg, %iterArg_1, %61, %61, %61, sizes = [1, 8, 4, 8] : (tensor<23x8x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4x8xf32>
      %63 = stablehlo.reshape %62 : (tensor<1x8x4x8xf32>) -> tensor<8x4x8xf32>
      %64 = stablehlo.dynamic_slice %iterArg_0, %iterArg_1, sizes = [1] : (tensor<23xi32>, tensor<i32>) -> tensor<1xi32>
      %65 = stablehlo.reshape %64 : (tensor<1xi32>) -> tensor<i32>
      %66 = stablehlo.broadcast_in_dim %65, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %67 = stablehlo.subtract %66, %2 : tensor<8xi32>
      %68 = stablehlo.constant dense<16> : tensor<i32>
      %69 = stablehlo.broadcast_in_dim %68, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %70 = stablehlo.add %67, %69 : tensor<8xi32>
      %71 = stablehlo.constant dense<16> : tensor<i32>
      %72 = stablehlo.broadcast_in_dim %71, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %73 = stablehlo.remainder %70, %72 : tensor<8xi32>
      %74 = stablehlo.constant dense<8> : tensor<i32>
      %75 = stablehlo.broadcast_in_dim %74, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %76 = stablehlo.divide %73, %75 : tensor<8xi32>
      %77 = func.call @case_batched(%iterArg_2, %0, %1, %76) : (tensor<8x4x8xf32>, tensor<8x2x8x16xf32>, tensor<8x2x16x8xf32>, tensor<8xi32>) -> tensor<8x4x8xf32>
      %78 = stablehlo.constant dense<1> : tensor<i32>
      %79 = stablehlo.add %65, %78 : tensor<i32>
      %80 = stablehlo.constant dense<16> : tensor<i32>
      %81 = stablehlo.remainder %79, %80 : tensor<i32>
      %82 = stablehlo.constant dense<8> : tensor<i32>
      %83 = stablehlo.compare LT, %81, %82 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %84 = stablehlo.iota dim = 0 : tensor<8x4x8xi32>
      %85 = stablehlo.constant dense<0> : tensor<i32>
      %86 = stablehlo.broadcast_in_dim %85, dims = [] : (tensor<i32>) -> tensor<8x4x8xi32>
      %87 = stablehlo.compare EQ, %84, %86 : (tensor<8x4x8xi32>, tensor<8x4x8xi32>) -> tensor<8x4x8xi1>
      %88 = stablehlo.broadcast_in_dim %83, dims = [] : (tensor<i1>) -> tensor<8x4x8xi1>
      %89 = stablehlo.and %87, %88 : tensor<8x4x8xi1>
      %90 = stablehlo.slice %77 [7:8, 0:4, 0:8] : (tensor<8x4x8xf32>) -> tensor<1x4x8xf32>
      %91 = stablehlo.slice %77 [0:7, 0:4, 0:8] : (tensor<8x4x8xf32>) -> tensor<7x4x8xf32>
      %92 = stablehlo.concatenate %90, %91, dim = 0 : (tensor<1x4x8xf32>, tensor<7x4x8xf32>) -> tensor<8x4x8xf32>
      %93 = stablehlo.select %89, %63, %92 : tensor<8x4x8xi1>, tensor<8x4x8xf32>
      %94 = stablehlo.constant dense<0> : tensor<i32>
      %95 = stablehlo.reshape %77 : (tensor<8x4x8xf32>) -> tensor<1x8x4x8xf32>
      %96 = stablehlo.dynamic_update_slice %iterArg_3, %95, %iterArg_1, %94, %94, %94 : (tensor<23x8x4x8xf32>, tensor<1x8x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<23x8x4x8xf32>
      %97 = stablehlo.constant dense<0> : tensor<i32>
      %98 = stablehlo.reshape %iterArg_2 : (tensor<8x4x8xf32>) -> tensor<1x8x4x8xf32>
      %99 = stablehlo.dynamic_update_slice %iterArg_4, %98, %iterArg_1, %97, %97, %97 : (tensor<23x8x4x8xf32>, tensor<1x8x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<23x8x4x8xf32>
      %100 = stablehlo.constant dense<1> : tensor<i32>
      %101 = stablehlo.add %iterArg_1, %100 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %101, %93, %96, %99 : tensor<23x8x4x8xf32>, tensor<23xi32>, tensor<i32>, tensor<8x4x8xf32>, tensor<23x8x4x8xf32>, tensor<23x8x4x8xf32>
    }
    %22 = stablehlo.slice %21#4 [0:23, 7:8, 0:4, 0:8] : (tensor<23x8x4x8xf32>) -> tensor<23x1x4x8xf32>
    %23 = stablehlo.reshape %22 : (tensor<23x1x4x8xf32>) -> tensor<23x4x8xf32>
    %24 = stablehlo.slice %23 [15:23, 0:4, 0:8] : (tensor<23x4x8xf32>) -> tensor<8x4x8xf32>
    %25 = stablehlo.slice %24 [7:8, 0:4, 0:8] : (tensor<8x4x8xf32>) -> tensor<1x4x8xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<1x4x8xf32>) -> tensor<8x4x8xf32>
    %27 = stablehlo.concatenate %24, %26, dim = 0 : (tensor<8x4x8xf32>, tensor<8x4x8xf32>) -> tensor<16x4x8xf32>
    %28 = stablehlo.reshape %27 : (tensor<16x4x8xf32>) -> tensor<1x16x4x8xf32>
    %29 = stablehlo.slice %28 [0:1, 0:8, 0:4, 0:8] : (tensor<1x16x4x8xf32>) -> tensor<1x8x4x8xf32>
    %30 = stablehlo.reshape %29 : (tensor<1x8x4x8xf32>) -> tensor<8x4x8xf32>
    %31 = stablehlo.multiply %30, %30 : tensor<8x4x8xf32>
    %32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.reduce(%31 init: %32) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<f32>
    %34 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %35 = stablehlo.divide %33, %34 : tensor<f32>
    %36 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.divide %36, %34 : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [] : (tensor<f32>) -> tensor<8x4x8xf32>
    %39 = stablehlo.multiply %38, %30 : tensor<8x4x8xf32>
    %40 = stablehlo.add %39, %39 : tensor<8x4x8xf32>
    %41 = stablehlo.reshape %40 : (tensor<8x4x8xf32>) -> tensor<1x8x4x8xf32>
    %42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.pad %41, %42, low = [0, 0, 0, 0], high = [0, 8, 0, 0], interior = [0, 0, 0, 0] : (tensor<1x8x4x8xf32>, tensor<f32>) -> tensor<1x16x4x8xf32>
    %44 = stablehlo.reshape %43 : (tensor<1x16x4x8xf32>) -> tensor<16x4x8xf32>
    %45 = stablehlo.slice %44 [0:8, 0:4, 0:8] : (tensor<16x4x8xf32>) -> tensor<8x4x8xf32>
    %46 = stablehlo.slice %44 [8:16, 0:4, 0:8] : (tensor<16x4x8xf32>) -> tensor<8x4x8xf32>
    %47 = stablehlo.reduce(%46 init: %42) applies stablehlo.add across dimensions = [0] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %48 = stablehlo.reshape %47 : (tensor<4x8xf32>) -> tensor<1x4x8xf32>
    %49 = stablehlo.pad %48, %42, low = [7, 0, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<1x4x8xf32>, tensor<f32>) -> tensor<8x4x8xf32>
    %50 = stablehlo.add %45, %49 : tensor<8x4x8xf32>
    %51 = stablehlo.pad %50, %42, low = [15, 0, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<23x4x8xf32>
    %52 = stablehlo.reshape %51 : (tensor<23x4x8xf32>) -> tensor<23x1x4x8xf32>
    %53 = stablehlo.pad %52, %42, low = [0, 7, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<23x1x4x8xf32>, tensor<f32>) -> tensor<23x8x4x8xf32>
    %54 = stablehlo.constant dense<0.000000e+00> : tensor<8x4x8xf32>
    %55 = stablehlo.constant dense<0.000000e+00> : tensor<8x2x8x16xf32>
    %56 = stablehlo.constant dense<0.000000e+00> : tensor<8x2x16x8xf32>
    %57 = stablehlo.constant dense<0> : tensor<i32>
    %58:7 = stablehlo.while(%iterArg = %53, %iterArg_0 = %17, %iterArg_1 = %21#5, %iterArg_2 = %57, %iterArg_3 = %54, %iterArg_4 = %55, %iterArg_5 = %56) : tensor<23x8x4x8xf32>, tensor<23xi32>, tensor<23x8x4x8xf32>, tensor<i32>, tensor<8x4x8xf32>, tensor<8x2x8x16xf32>, tensor<8x2x16x8xf32>
    cond {
      %61 = stablehlo.constant dense<23> : tensor<i32>
      %62 = stablehlo.compare LT, %iterArg_2, %61, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %62 : tensor<i1>
    } do {
      %61 = stablehlo.constant dense<22> : tensor<i32>
      %62 = stablehlo.subtract %61, %iterArg_2 : tensor<i32>
      %63 = stablehlo.constant dense<0> : tensor<i32>
      %64 = stablehlo.dynamic_slice %iterArg, %62, %63, %63, %63, sizes = [1, 8, 4, 8] : (tensor<23x8x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4x8xf32>
      %65 = stablehlo.reshape %64 : (tensor<1x8x4x8xf32>) -> tensor<8x4x8xf32>
      %66 = stablehlo.dynamic_slice %iterArg_0, %62, sizes = [1] : (tensor<23xi32>, tensor<i32>) -> tensor<1xi32>
      %67 = stablehlo.reshape %66 : (tensor<1xi32>) -> tensor<i32>
      %68 = stablehlo.constant dense<0> : tensor<i32>
      %69 = stablehlo.dynamic_slice %iterArg_1, %62, %68, %68, %68, sizes = [1, 8, 4, 8] : (tensor<23x8x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4x8xf32>
      %70 = stablehlo.reshape %69 : (tensor<1x8x4x8xf32>) -> tensor<8x4x8xf32>
      %71 = stablehlo.constant dense<1> : tensor<i32>
      %72 = stablehlo.add %67, %71 : tensor<i32>
      %73 = stablehlo.constant dense<16> : tensor<i32>
      %74 = stablehlo.remainder %72, %73 : tensor<i32>
      %75 = stablehlo.constant dense<8> : tensor<i32>
      %76 = stablehlo.compare LT, %74, %75 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %77 = stablehlo.iota dim = 0 : tensor<8x4x8xi32>
      %78 = stablehlo.constant dense<0> : tensor<i32>
      %79 = stablehlo.broadcast_in_dim %78, dims = [] : (tensor<i32>) -> tensor<8x4x8xi32>
      %80 = stablehlo.compare EQ, %77, %79 : (tensor<8x4x8xi32>, tensor<8x4x8xi32>) -> tensor<8x4x8xi1>
      %81 = stablehlo.broadcast_in_dim %76, dims = [] : (tensor<i1>) -> tensor<8x4x8xi1>
      %82 = stablehlo.and %80, %81 : tensor<8x4x8xi1>
      %83 = stablehlo.broadcast_in_dim %67, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %84 = stablehlo.subtract %83, %2 : tensor<8xi32>
      %85 = stablehlo.constant dense<16> : tensor<i32>
      %86 = stablehlo.broadcast_in_dim %85, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %87 = stablehlo.add %84, %86 : tensor<8xi32>
      %88 = stablehlo.constant dense<16> : tensor<i32>
      %89 = stablehlo.broadcast_in_dim %88, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %90 = stablehlo.remainder %87, %89 : tensor<8xi32>
      %91 = stablehlo.constant dense<8> : tensor<i32>
      %92 = stablehlo.broadcast_in_dim %91, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %93 = stablehlo.divide %90, %92 : tensor<8xi32>
      %94 = stablehlo.constant dense<0.000000e+00> : tensor<8x4x8xf32>
      %95 = stablehlo.select %82, %94, %iterArg_3 : tensor<8x4x8xi1>, tensor<8x4x8xf32>
      %96 = stablehlo.slice %95 [0:1, 0:4, 0:8] : (tensor<8x4x8xf32>) -> tensor<1x4x8xf32>
      %97 = stablehlo.slice %95 [1:8, 0:4, 0:8] : (tensor<8x4x8xf32>) -> tensor<7x4x8xf32>
      %98 = stablehlo.concatenate %97, %96, dim = 0 : (tensor<7x4x8xf32>, tensor<1x4x8xf32>) -> tensor<8x4x8xf32>
      %99 = stablehlo.add %65, %98 : tensor<8x4x8xf32>
      %100:3 = func.call @case_batched_backward(%0, %93, %1, %70, %99) : (tensor<8x2x8x16xf32>, tensor<8xi32>, tensor<8x2x16x8xf32>, tensor<8x4x8xf32>, tensor<8x4x8xf32>) -> (tensor<8x4x8xf32>, tensor<8x2x8x16xf32>, tensor<8x2x16x8xf32>)
      %101 = stablehlo.add %iterArg_4, %100#1 : tensor<8x2x8x16xf32>
      %102 = stablehlo.add %iterArg_5, %100#2 : tensor<8x2x16x8xf32>
      %103 = stablehlo.constant dense<1> : tensor<i32>
      %104 = stablehlo.add %iterArg_2, %103 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %iterArg_1, %104, %100#0, %101, %102 : tensor<23x8x4x8xf32>, tensor<23xi32>, tensor<23x8x4x8xf32>, tensor<i32>, tensor<8x4x8xf32>, tensor<8x2x8x16xf32>, tensor<8x2x16x8xf32>
    }
    %59 = sdy.sharding_constraint %58#6 <@mesh, [{"stage"}, {}, {}, {}]> : tensor<8x2x16x8xf32>
    %60 = sdy.sharding_constraint %58#5 <@mesh, [{"stage"}, {}, {}, {}]> : tensor<8x2x8x16xf32>
    return %35, %60, %59 : tensor<f32>, tensor<8x2x8x16xf32>, tensor<8x2x16x8xf32>
  }
}
//| --- collectives devices=8
//| 1 all-reduce over {"stage"}: 1792 bytes
//| 46 permute: 5888 bytes
//| 188416 flops in contractions
//| --- equal devices=8 seeds=1
