//! Layers of the papers' models, annotated as the papers do.

use crate::support;

use support::{check, completed, shown};

/// One feed-forward and attention layer, all weights and activations of table 1 annotated by `a`.
fn dense_layer(weights: [&str; 5], activations: [&str; 3]) -> String {
    let [qkv, o, win, wout, norm] = weights;
    let [bsm, bsh, bsnd] = activations;
    format!(
        r#"
        sdy.mesh @mesh = <["x"=2, "y"=4]>
        func.func public @main(
            %input: tensor<8x16x32xf32>,
            %wq: tensor<32x4x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, {qkv}>}},
            %wk: tensor<32x4x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, {qkv}>}},
            %wv: tensor<32x4x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, {qkv}>}},
            %wo: tensor<4x8x32xf32> {{sdy.sharding = #sdy.sharding<@mesh, {o}>}},
            %win: tensor<32x64xf32> {{sdy.sharding = #sdy.sharding<@mesh, {win}>}},
            %wout: tensor<64x32xf32> {{sdy.sharding = #sdy.sharding<@mesh, {wout}>}},
            %scale: tensor<32xf32> {{sdy.sharding = #sdy.sharding<@mesh, {norm}>}}
        ) -> tensor<8x16x32xf32> {{
          %bsm = sdy.sharding_constraint %input <@mesh, {bsm}> : tensor<8x16x32xf32>
          %wide = stablehlo.broadcast_in_dim %scale, dims = [2] : (tensor<32xf32>) -> tensor<8x16x32xf32>
          %norm = stablehlo.multiply %bsm, %wide : tensor<8x16x32xf32>
          %q = stablehlo.dot_general %norm, %wq, contracting_dims = [2] x [0] : (tensor<8x16x32xf32>, tensor<32x4x8xf32>) -> tensor<8x16x4x8xf32>
          %k = stablehlo.dot_general %norm, %wk, contracting_dims = [2] x [0] : (tensor<8x16x32xf32>, tensor<32x4x8xf32>) -> tensor<8x16x4x8xf32>
          %v = stablehlo.dot_general %norm, %wv, contracting_dims = [2] x [0] : (tensor<8x16x32xf32>, tensor<32x4x8xf32>) -> tensor<8x16x4x8xf32>
          %scores = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<8x16x4x8xf32>, tensor<8x16x4x8xf32>) -> tensor<8x4x16x16xf32>
          %weighted = stablehlo.dot_general %scores, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<8x4x16x16xf32>, tensor<8x16x4x8xf32>) -> tensor<8x4x16x8xf32>
          %turned = stablehlo.transpose %weighted, dims = [0, 2, 1, 3] : (tensor<8x4x16x8xf32>) -> tensor<8x16x4x8xf32>
          %bsnd = sdy.sharding_constraint %turned <@mesh, {bsnd}> : tensor<8x16x4x8xf32>
          %attended = stablehlo.dot_general %bsnd, %wo, contracting_dims = [2, 3] x [0, 1] : (tensor<8x16x4x8xf32>, tensor<4x8x32xf32>) -> tensor<8x16x32xf32>
          %residual = stablehlo.add %bsm, %attended : tensor<8x16x32xf32>
          %hidden = stablehlo.dot_general %residual, %win, contracting_dims = [2] x [0] : (tensor<8x16x32xf32>, tensor<32x64xf32>) -> tensor<8x16x64xf32>
          %zero = stablehlo.constant dense<0.0> : tensor<8x16x64xf32>
          %relu = stablehlo.maximum %hidden, %zero : tensor<8x16x64xf32>
          %bsh = sdy.sharding_constraint %relu <@mesh, {bsh}> : tensor<8x16x64xf32>
          %output = stablehlo.dot_general %bsh, %wout, contracting_dims = [2] x [0] : (tensor<8x16x64xf32>, tensor<64x32xf32>) -> tensor<8x16x32xf32>
          %sum = stablehlo.add %residual, %output : tensor<8x16x32xf32>
          return %sum : tensor<8x16x32xf32>
        }}"#
    )
}

const WEIGHTS: [&str; 5] =
    [r#"[{"x"}, {"y"}, {}]"#, r#"[{"y"}, {}, {"x"}]"#, r#"[{"x"}, {"y"}]"#, r#"[{"y"}, {"x"}]"#, "[{}]"];

#[test]
fn table_1_attempt_1_splits_m_over_x_and_h_over_y() {
    let activations = [r#"[{}, {}, {"x"}]"#, r#"[{}, {}, {"y"}]"#, r#"[{}, {}, {"y"}, {}]"#];
    check(
        &dense_layer(WEIGHTS, activations),
        &[
            ("norm", "-,-,x"),
            ("q", "-,-,y,-"),
            ("scores", "-,y,-,-"),
            ("attended", "-,-,x"),
            ("hidden", "-,-,y"),
            ("zero", "-,-,y"),
            ("output", "-,-,x"),
            ("sum", "-,-,x"),
        ],
    );
}

#[test]
fn table_1_attempt_2_splits_the_batch_over_x() {
    let activations = [r#"[{"x"}, {}, {}]"#, r#"[{"x"}, {}, {"y"}]"#, r#"[{"x"}, {}, {"y"}, {}]"#];
    check(
        &dense_layer(WEIGHTS, activations),
        &[
            ("input", "x,-,-"),
            ("q", "x,-,y,-"),
            ("scores", "x,y,-,-"),
            ("turned", "x,-,y,-"),
            ("attended", "x,-,-"),
            ("residual", "x,-,-"),
            ("hidden", "x,-,y"),
            ("sum", "x,-,-"),
        ],
    );
}

#[test]
fn table_1_finalized_also_splits_m_of_activations_over_y() {
    let activations = [r#"[{"x"}, {}, {"y"}]"#, r#"[{"x"}, {}, {"y"}]"#, r#"[{"x"}, {}, {"y"}, {}]"#];
    let (_, report) = check(
        &dense_layer(WEIGHTS, activations),
        &[
            ("norm", "x,-,y"),
            ("q", "x,-,y,-"),
            ("scores", "x,y,-,-"),
            ("attended", "x,-,y"),
            ("residual", "x,-,y"),
            ("hidden", "x,-,y"),
            ("output", "x,-,y"),
            ("sum", "x,-,y"),
        ],
    );
    assert!(
        report.conflicts.is_empty(),
        "weights that are gathered on demand are no conflict: {:#?}",
        report.conflicts
    );
}

/// GShard's algorithm 2 with a gating of softmax and comparison in place of top-2.
const MOE: &str = r#"
    sdy.mesh @mesh = <["d"=4]>
    func.func public @main(
        %inputs: tensor<8x16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}, {}]>},
        %wg: tensor<32x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
        %wi: tensor<4x32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d", ?}, {?}, {?}]>},
        %wo: tensor<4x64x32xf32>,
        %slots: tensor<8x16x6xf32>
    ) -> tensor<8x16x32xf32> {
      %logits = stablehlo.dot_general %inputs, %wg, contracting_dims = [2] x [0] : (tensor<8x16x32xf32>, tensor<32x4xf32>) -> tensor<8x16x4xf32>
      %gates = stablehlo.exponential %logits : tensor<8x16x4xf32>
      %wide_gates = stablehlo.broadcast_in_dim %gates, dims = [0, 1, 2] : (tensor<8x16x4xf32>) -> tensor<8x16x4x6xf32>
      %wide_slots = stablehlo.broadcast_in_dim %slots, dims = [0, 1, 3] : (tensor<8x16x6xf32>) -> tensor<8x16x4x6xf32>
      %combine = stablehlo.multiply %wide_gates, %wide_slots : tensor<8x16x4x6xf32>
      %zero = stablehlo.constant dense<0.0> : tensor<8x16x4x6xf32>
      %chosen = stablehlo.compare GT, %combine, %zero : (tensor<8x16x4x6xf32>, tensor<8x16x4x6xf32>) -> tensor<8x16x4x6xi1>
      %mask = stablehlo.convert %chosen : (tensor<8x16x4x6xi1>) -> tensor<8x16x4x6xf32>
      %raw = stablehlo.dot_general %mask, %inputs, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<8x16x4x6xf32>, tensor<8x16x32xf32>) -> tensor<8x4x6x32xf32>
      %turned = stablehlo.transpose %raw, dims = [1, 0, 2, 3] : (tensor<8x4x6x32xf32>) -> tensor<4x8x6x32xf32>
      %dispatched = sdy.sharding_constraint %turned <@mesh, [{"d"}, {}, {}, {}]> : tensor<4x8x6x32xf32>
      %h = stablehlo.dot_general %dispatched, %wi, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<4x8x6x32xf32>, tensor<4x32x64xf32>) -> tensor<4x8x6x64xf32>
      %none = stablehlo.constant dense<0.0> : tensor<4x8x6x64xf32>
      %relu = stablehlo.maximum %h, %none : tensor<4x8x6x64xf32>
      %expert = stablehlo.dot_general %relu, %wo, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<4x8x6x64xf32>, tensor<4x64x32xf32>) -> tensor<4x8x6x32xf32>
      %back = stablehlo.transpose %expert, dims = [1, 0, 2, 3] : (tensor<4x8x6x32xf32>) -> tensor<8x4x6x32xf32>
      %returned = sdy.sharding_constraint %back <@mesh, [{"d"}, {}, {}, {}]> : tensor<8x4x6x32xf32>
      %outputs = stablehlo.dot_general %combine, %returned, batching_dims = [0] x [0], contracting_dims = [2, 3] x [1, 2] : (tensor<8x16x4x6xf32>, tensor<8x4x6x32xf32>) -> tensor<8x16x32xf32>
      return %outputs : tensor<8x16x32xf32>
    }"#;

#[test]
fn gshard_algorithm_2_splits_groups_around_and_experts_inside() {
    check(
        MOE,
        &[
            ("logits", "d,-,-"),
            ("gates", "d,-,-"),
            ("combine", "d,-,-,-"),
            ("mask", "d,-,-,-"),
            ("slots", "d,-,-"),
            ("h", "d,-,-,-"),
            ("relu", "d,-,-,-"),
            ("none", "d,-,-,-"),
            ("wo", "d,-,-"),
            ("back", "d,-,-,-"),
            ("outputs", "d,-,-"),
        ],
    );
}

#[test]
fn completion_is_idempotent_and_the_same_every_time() {
    let print = |sharded: &meshwright_ir::ShardedModule| meshwright_text::stablehlo::print(sharded.module());
    let (first, _) = completed(MOE);
    let (second, _) = completed(MOE);
    assert_eq!(print(&first), print(&second));
    let (again, report) =
        meshwright_complete::complete(first.clone().into_module(), &Default::default()).expect("completes");
    assert_eq!(print(&again), print(&first));
    assert_eq!((report.inferred, report.replicated), (0, 0));
}

#[test]
fn a_module_without_annotations_is_replicated_over_a_mesh_of_all_devices() {
    let (sharded, report) = check(
        r#"
        module @m attributes {mhlo.num_partitions = 8 : i32} {
          func.func public @main(%a: tensor<8xf32>) -> tensor<8xf32> {
            %b = stablehlo.add %a, %a : tensor<8xf32>
            return %b : tensor<8xf32>
          }
        }"#,
        &[("a", "-"), ("b", "-")],
    );
    assert_eq!(sharded.module().meshes.values().map(|mesh| mesh.device_count()).collect::<Vec<_>>(), [8]);
    assert_eq!((report.given, report.inferred, report.replicated), (0, 0, 2));
}

#[test]
fn a_function_called_twice_is_copied_and_each_copy_has_its_call_s_sharding() {
    let (sharded, report) = completed(
        r#"
        sdy.mesh @mesh = <["x"=2, "y"=2]>
        func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                               %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
          %c = call @double(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
          %d = call @double(%b) : (tensor<8x8xf32>) -> tensor<8x8xf32>
          return %c, %d : tensor<8x8xf32>, tensor<8x8xf32>
        }
        func.func private @double(%p: tensor<8x8xf32>) -> tensor<8x8xf32> {
          %q = stablehlo.add %p, %p : tensor<8x8xf32>
          return %q : tensor<8x8xf32>
        }"#,
    );
    assert_eq!((shown(&sharded, "c"), shown(&sharded, "d")), ("x,-".into(), "-,y".into()));
    assert_eq!(report.copied_functions, 1);
    let names: Vec<_> = sharded.module().funcs.values().map(|func| func.name.to_string()).collect();
    assert_eq!(names, ["main", "double", "double_1"]);
}

#[test]
fn different_meshes_of_the_same_devices_meet_on_one() {
    check(
        r#"
        sdy.mesh @a = <["x"=4, "y"=2]>
        sdy.mesh @b = <["all"=8]>
        func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@b, [{"all"}, {}]>},
                               %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x", ?}, {?}]>}) -> tensor<8x8xf32> {
          %c = stablehlo.add %a, %b : tensor<8x8xf32>
          return %c : tensor<8x8xf32>
        }"#,
        &[("a", "x*y,-"), ("b", "x*y,-"), ("c", "x*y,-")],
    );
}

#[test]
fn uneven_reshapes_pass_only_axes_that_cut_between_rows() {
    check(
        r#"
        sdy.mesh @mesh = <["x"=2, "y"=3]>
        func.func public @main(%a: tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                               %b: tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<6xf32>, tensor<6xf32>) {
          %c = stablehlo.reshape %a : (tensor<3x2xf32>) -> tensor<6xf32>
          %d = stablehlo.reshape %b : (tensor<3x2xf32>) -> tensor<6xf32>
          return %c, %d : tensor<6xf32>, tensor<6xf32>
        }"#,
        &[("c", "-"), ("d", "y*x")],
    );
}

#[test]
fn a_composite_is_completed_as_the_call_it_means() {
    check(
        r#"
        sdy.mesh @mesh = <["x"=2, "y"=2]>
        func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
          %b = stablehlo.composite "my.op" %a {decomposition = @body} : (tensor<8x8xf32>) -> tensor<8x8xf32>
          return %b : tensor<8x8xf32>
        }
        func.func private @body(%p: tensor<8x8xf32>) -> tensor<8x8xf32> {
          %q = stablehlo.add %p, %p : tensor<8x8xf32>
          return %q : tensor<8x8xf32>
        }"#,
        &[("p", "x,-"), ("q", "x,-"), ("b", "x,-")],
    );
}

#[test]
fn a_group_inside_a_function_ties_the_values_of_all_its_calls() {
    let (sharded, _) = completed(
        r#"
        sdy.mesh @mesh = <["x"=2, "y"=2]>
        func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
          %c = call @f(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
          %d = call @f(%b) : (tensor<8x8xf32>) -> tensor<8x8xf32>
          return %c, %d : tensor<8x8xf32>, tensor<8x8xf32>
        }
        func.func private @f(%p: tensor<8x8xf32>) -> tensor<8x8xf32> {
          %q = stablehlo.tanh %p : tensor<8x8xf32>
          sdy.sharding_group %q group_id=3 : tensor<8x8xf32>
          return %q : tensor<8x8xf32>
        }"#,
    );
    assert_eq!((shown(&sharded, "d"), shown(&sharded, "b")), ("x,-".into(), "x,-".into()));
}

#[test]
fn a_named_computation_keeps_what_it_states_and_passes_on_what_it_leaves_open() {
    check(
        r#"
        sdy.mesh @mesh = <["x"=2, "y"=2]>
        func.func public @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
          %b = sdy.named_computation<"block">(%a) in_shardings=[<@mesh, [{"x", ?}, {?}]>] out_shardings=[<@mesh, [{?}, {"y"}]>] (%p: tensor<8x8xf32>) {
            %q = stablehlo.tanh %p : tensor<8x8xf32>
            sdy.return %q : tensor<8x8xf32>
          } : (tensor<8x8xf32>) -> tensor<8x8xf32>
          return %b : tensor<8x8xf32>
        }"#,
        &[("a", "x,y"), ("p", "x,y"), ("q", "x,y"), ("b", "x,y")],
    );
}

#[test]
fn full_to_shard_hides_manual_axes_and_shard_to_full_brings_them_back() {
    let (sharded, _) = check(
        r#"
        module @m attributes {mhlo.num_partitions = 8 : i32} {
          func.func public @main(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[4,2]<=[8]}"}) -> tensor<8x8xf32> {
            %in = stablehlo.custom_call @Sharding(%a) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
            %local = stablehlo.custom_call @SPMDFullToShardShape(%in) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<8x8xf32>) -> tensor<2x8xf32>
            %t = stablehlo.tanh %local : tensor<2x8xf32>
            %out = stablehlo.custom_call @Sharding(%t) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
            %full = stablehlo.custom_call @SPMDShardToFullShape(%out) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"} : (tensor<2x8xf32>) -> tensor<8x8xf32>
            return %full : tensor<8x8xf32>
          }
        }"#,
        &[("in", "axis_0,axis_1"), ("local", "-,axis_1"), ("t", "-,axis_1"), ("full", "axis_0,axis_1")],
    );
    let module = sharded.module();
    let manual = |name: &str| {
        let (_, value) =
            module.main().values().iter().find(|(_, v)| v.name.as_deref() == Some(name)).expect("a value");
        value.sharding.as_ref().and_then(|annotation| annotation.as_mesh()).expect("a sharding").manual.len()
    };
    assert_eq!((manual("in"), manual("local"), manual("t"), manual("full")), (0, 1, 1, 0));
}

#[test]
fn a_kernels_gradient_is_not_split_as_its_images_are() {
    let text = r#"
        sdy.mesh @mesh = <["x"=2]>
        func.func public @main(
            %image: tensor<4x128x128x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>},
            %slope: tensor<4x64x64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}
        ) -> tensor<2x2x8x16xf32> {
          %gradient = stablehlo.convolution(%image, %slope) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x128x128x8xf32>, tensor<4x64x64x16xf32>) -> tensor<2x2x8x16xf32>
          return %gradient : tensor<2x2x8x16xf32>
        }"#;
    check(text, &[("gradient", "-,-,-,-")]);
}

#[test]
fn patches_of_an_image_are_split_as_the_image_is() {
    let text = r#"
        sdy.mesh @mesh = <["x"=2]>
        func.func public @main(
            %image: tensor<4x224x224x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>},
            %kernel: tensor<16x16x3x64xf32>
        ) -> tensor<4x14x14x64xf32> {
          %patches = stablehlo.convolution(%image, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [16, 16], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x224x224x3xf32>, tensor<16x16x3x64xf32>) -> tensor<4x14x14x64xf32>
          return %patches : tensor<4x14x14x64xf32>
        }"#;
    check(text, &[("patches", "-,x,-,-")]);
}
