// test print stablehlo
// test print hlo
// test print generic
// A module with a loop, a reduction, a splat and a sharding, in all three forms.
module @forms attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4xf32> {
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<4xf32>
    %count = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.while(%i = %count, %x = %0) : tensor<i32>, tensor<4xf32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %2 = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %i, %one : tensor<i32>
      %3 = stablehlo.multiply %x, %x : tensor<4xf32>
      stablehlo.return %2, %3 : tensor<i32>, tensor<4xf32>
    }
    return %1#1 : tensor<4xf32>
  }
}
//| --- print stablehlo
//| module @forms attributes {mhlo.num_partitions = 2 : i32} {
//|   sdy.mesh @mesh = <["x"=2]>
//|   func.func public @main(%arg0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4xf32> {
//|     %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//|     %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<4xf32>
//|     %count = stablehlo.constant dense<0> : tensor<i32>
//|     %1:2 = stablehlo.while(%i = %count, %x = %0) : tensor<i32>, tensor<4xf32>
//|     cond {
//|       %three = stablehlo.constant dense<3> : tensor<i32>
//|       %2 = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|       stablehlo.return %2 : tensor<i1>
//|     } do {
//|       %one = stablehlo.constant dense<1> : tensor<i32>
//|       %2 = stablehlo.add %i, %one : tensor<i32>
//|       %3 = stablehlo.multiply %x, %x : tensor<4xf32>
//|       stablehlo.return %2, %3 : tensor<i32>, tensor<4xf32>
//|     }
//|     return %1#1 : tensor<4xf32>
//|   }
//| }
//| --- print hlo
//| HloModule forms, entry_computation_layout={(f32[4,2]{1,0})->f32[4]{0}}, num_partitions=2
//|
//| %region (param.1: f32[], param.2: f32[]) -> f32[] {
//|   %param.1 = f32[] parameter(0)
//|   %param.2 = f32[] parameter(1)
//|   ROOT %add.1 = f32[] add(%param.1, %param.2)
//| }
//|
//| %region.1 (param.1: (s32[], f32[4])) -> pred[] {
//|   %param.1 = (s32[], f32[4]{0}) parameter(0)
//|   %i = s32[] get-tuple-element(%param.1), index=0
//|   %x = f32[4]{0} get-tuple-element(%param.1), index=1
//|   %three = s32[] constant(3)
//|   ROOT %v2 = pred[] compare(%i, %three), direction=LT, type=SIGNED
//| }
//|
//| %region.2 (param.1: (s32[], f32[4])) -> (s32[], f32[4]) {
//|   %param.1 = (s32[], f32[4]{0}) parameter(0)
//|   %i = s32[] get-tuple-element(%param.1), index=0
//|   %x = f32[4]{0} get-tuple-element(%param.1), index=1
//|   %one = s32[] constant(1)
//|   %v2 = s32[] add(%i, %one)
//|   %v3 = f32[4]{0} multiply(%x, %x)
//|   ROOT %tuple.1 = (s32[], f32[4]{0}) tuple(%v2, %v3)
//| }
//|
//| ENTRY %main (arg0: f32[4,2]) -> f32[4] {
//|   %arg0 = f32[4,2]{1,0} parameter(0), sharding={devices=[2,1]<=[2]}
//|   %zero = f32[] constant(0)
//|   %v0 = f32[4]{0} reduce(%arg0, %zero), dimensions={1}, to_apply=%region
//|   %count = s32[] constant(0)
//|   %tuple.1 = (s32[], f32[4]{0}) tuple(%count, %v0)
//|   %v1 = (s32[], f32[4]{0}) while(%tuple.1), condition=%region.1, body=%region.2
//|   ROOT %get-tuple-element.1 = f32[4]{0} get-tuple-element(%v1), index=1
//| }
//|
//| --- print generic
//| "builtin.module"() <{sym_name = "forms"}> ({
//|   "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "mesh"}> : () -> ()
//|   "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}], function_type = (tensor<4x2xf32>) -> tensor<4xf32>, sym_name = "main", sym_visibility = "public"}> ({
//|   ^bb0(%arg0: tensor<4x2xf32>):
//|     %zero = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
//|     %0 = "stablehlo.reduce"(%arg0, %zero) <{dimensions = array<i64: 1>}> ({
//|     ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
//|       %4 = "stablehlo.add"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
//|       "stablehlo.return"(%4) : (tensor<f32>) -> ()
//|     }) : (tensor<4x2xf32>, tensor<f32>) -> tensor<4xf32>
//|     %count = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
//|     %1:2 = "stablehlo.while"(%count, %0) ({
//|     ^bb0(%i: tensor<i32>, %x: tensor<4xf32>):
//|       %three = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
//|       %2 = "stablehlo.compare"(%i, %three) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
//|       "stablehlo.return"(%2) : (tensor<i1>) -> ()
//|     }, {
//|     ^bb0(%i: tensor<i32>, %x: tensor<4xf32>):
//|       %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
//|       %2 = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
//|       %3 = "stablehlo.multiply"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
//|       "stablehlo.return"(%2, %3) : (tensor<i32>, tensor<4xf32>) -> ()
//|     }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
//|     "func.return"(%1#1) : (tensor<4xf32>) -> ()
//|   }) : () -> ()
//| }) {mhlo.num_partitions = 2 : i32} : () -> ()
