#loc1 = loc("a")
#loc2 = loc("b")
#loc5 = loc("shard_map")
#loc8 = loc("psum")
#loc11 = loc("shard_map:"(#loc5))
#loc14 = loc("psum:"(#loc8))
"builtin.module"() <{sym_name = "jit_shard_map_matmul"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=4, "y"=2]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}} : () -> () loc(#loc)
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x8xf32> loc("a"), %arg1: tensor<8x4xf32> loc("b")):
    %0 = "sdy.manual_computation"(%arg0, %arg1) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"y"}, {}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}> ({
    ^bb0(%arg2: tensor<2x4xf32> loc("shard_map:"(#loc5)), %arg3: tensor<4x4xf32> loc("shard_map:"(#loc5))):
      %1 = "stablehlo.dot_general"(%arg2, %arg3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32> loc(#loc16)
      %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32> loc("psum:"(#loc8)), %arg5: tensor<f32> loc("psum:"(#loc8))):
        %3 = "stablehlo.add"(%arg4, %arg5) : (tensor<f32>, tensor<f32>) -> tensor<f32> loc(#loc21)
        "stablehlo.return"(%3) : (tensor<f32>) -> () loc(#loc17)
      }) : (tensor<2x4xf32>) -> tensor<2x4xf32> loc(#loc17)
      "sdy.return"(%2) : (tensor<2x4xf32>) -> () loc(#loc11)
    }) : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32> loc(#loc20)
    "func.return"(%0) : (tensor<8x4xf32>) -> () loc(#loc19)
  }) : () -> () loc(#loc)
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> () loc(#loc)
#loc = loc(unknown)
#loc3 = loc("lower.py":808:11 to :94)
#loc4 = loc("lower.py":806:1 to :45)
#loc6 = loc("lower.py":808:40 to :45)
#loc7 = loc("lower.py":808:31 to :51)
#loc9 = loc("shard_map_matmul"(#loc3))
#loc10 = loc("<module>"(#loc4))
#loc12 = loc("shard_map_matmul.<locals>.<lambda>"(#loc6))
#loc13 = loc("shard_map_matmul.<locals>.<lambda>"(#loc7))
#loc15 = loc(callsite(#loc9 at #loc10))
#loc16 = loc("dot_general"(#loc12))
#loc17 = loc("psum"(#loc13))
#loc18 = loc(callsite(#loc13 at #loc13))
#loc19 = loc("jit(shard_map_matmul)"(#loc10))
#loc20 = loc("jit(shard_map_matmul)/shard_map"(#loc15))
#loc21 = loc("add"(#loc18))
