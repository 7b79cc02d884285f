//! What a user is told about annotations that cannot be, and about those that pull different ways.

use crate::support;

use meshwright_base::render;
use meshwright_complete::{Free, Options, complete};
use meshwright_ir::Dim;
use support::{check, completed, parse, shown};

/// The heads of all errors.
fn errors(text: &str, options: &Options) -> Vec<String> {
    let errors = complete(parse(text), options).expect_err("errors");
    assert!(errors.iter().all(|error| error.help.is_some()), "every error says what to do: {errors:#?}");
    errors.iter().map(ToString::to_string).collect()
}

fn module(annotation: &str) -> String {
    format!(
        r#"
        module @m attributes {{mhlo.num_partitions = 8 : i32}} {{
          func.func public @main(%w: tensor<8x8xf32> {{mhlo.sharding = "{annotation}"}}) -> tensor<8x8xf32> {{
            %b = stablehlo.add %w, %w : tensor<8x8xf32>
            return %b : tensor<8x8xf32>
          }}
        }}"#
    )
}

#[test]
fn hlo_annotations_are_told_with_the_name_of_the_value() {
    for (annotation, expect) in [
        ("{devices=[8]<=[8]}", "`%w` cannot be split as asked: a sharding of 1 dims on a value of 2 dims"),
        ("{devices=[4,4]<=[16]}", "`%w` cannot be split as asked: "),
        ("{devices=[2,2]0,1,2,2}", "`%w` cannot be split as asked: "),
    ] {
        let errors = errors(&module(annotation), &Options::default());
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].contains(expect), "{annotation}: {errors:?}");
    }
}

#[test]
fn devices_asked_for_must_be_those_of_the_meshes() {
    let text = r#"
        sdy.mesh @mesh = <["x"=4, "y"=2]>
        func.func public @main(%w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
          return %w : tensor<8x8xf32>
        }"#;
    let options = Options { devices: Some(16), ..Options::default() };
    assert_eq!(errors(text, &options), ["error[E0400]: mesh `mesh` has 8 devices, but 16 are asked for"]);
}

#[test]
fn devices_asked_for_must_be_those_of_the_module() {
    let options = Options { devices: Some(4), ..Options::default() };
    assert_eq!(
        errors(&module("{replicated}"), &options),
        ["error[E0400]: 4 devices are asked for, but the module is for 8 (`num_partitions`)"]
    );
}

#[test]
fn all_wrong_annotations_are_told_at_once() {
    let text = r#"
        sdy.mesh @mesh = <["x"=4, "y"=2]>
        func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                               %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> tensor<8x8xf32> {
          return %a : tensor<8x8xf32>
        }"#;
    let Ok(module) = std::panic::catch_unwind(|| parse(text)) else { return };
    let errors = complete(module, &Options::default()).expect_err("errors");
    assert_eq!(errors.len(), 2, "{errors:#?}");
}

#[test]
fn members_of_a_group_must_fit_together() {
    let text = |second: &str| {
        format!(
            r#"
            sdy.mesh @mesh = <["x"=4, "y"=2]>
            func.func public @main(%a: tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}}, {second}) -> tensor<8x8xf32> {{
              sdy.sharding_group %a group_id=0 : tensor<8x8xf32>
              sdy.sharding_group %b group_id=0 : tensor<{}xf32>
              return %a : tensor<8x8xf32>
            }}"#,
            if second.contains("8x4") { "8x4" } else { "8x8" }
        )
    };
    assert_eq!(
        errors(&text("%b: tensor<8x4xf32>"), &Options::default()),
        ["error[E0403]: `%a` (f32[8,8]) and `%b` (f32[8,4]) are in one sharding group but differ in shape"]
    );
    let other = r#"%b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}"#;
    assert_eq!(
        errors(&text(other), &Options::default()),
        ["error[E0404]: `%a` and `%b` are in one sharding group but annotated differently"]
    );
}

#[test]
fn annotations_that_pull_different_ways_are_noted_with_both_origins() {
    let (_, report) = completed(
        r#"
        sdy.mesh @mesh = <["x"=4, "y"=2]>
        func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                               %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<8x8xf32> {
          %t = stablehlo.tanh %a : tensor<8x8xf32>
          %s = stablehlo.add %t, %b : tensor<8x8xf32>
          return %s : tensor<8x8xf32>
        }"#,
    );
    let [note] = report.conflicts.as_slice() else { panic!("{:#?}", report.conflicts) };
    let told = render(note, None);
    assert!(told.contains("`x` comes from dim 0 of `%a`; `y` comes from dim 0 of `%b`"), "{told}");
}

#[test]
fn unspecified_dims_are_refined_and_others_are_kept() {
    check(
        r#"
        module @m attributes {mhlo.num_partitions = 8 : i32} {
          func.func public @main(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[4,2]<=[8]}"}) -> tensor<8x8xf32> {
            %open = stablehlo.custom_call @Sharding(%a) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
            %kept = stablehlo.custom_call @Sharding(%a) {backend_config = "", mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
            %sum = stablehlo.add %open, %kept : tensor<8x8xf32>
            return %sum : tensor<8x8xf32>
          }
        }"#,
        &[("open", "axis_0,axis_1"), ("kept", "axis_0,-"), ("sum", "axis_0,axis_1")],
    );
}

#[test]
fn parameters_and_results_can_be_left_as_they_are() {
    let text = r#"
        sdy.mesh @mesh = <["x"=4, "y"=2]>
        func.func public @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
          %b = stablehlo.tanh %a : tensor<8x8xf32>
          %c = sdy.sharding_constraint %b <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
          return %c : tensor<8x8xf32>
        }"#;
    let results = |sharded: &meshwright_ir::ShardedModule| {
        let module = sharded.module();
        let sharding =
            module.main().results[0].sharding.as_ref().and_then(|a| a.as_mesh()).expect("a sharding");
        support::show(module, sharding)
    };
    let (free, _) = completed(text);
    assert_eq!((shown(&free, "a"), results(&free)), ("x,-".into(), "x,-".into()));
    let options = Options {
        propagate_to_parameters: Free::None,
        propagate_to_results: Free::None,
        ..Options::default()
    };
    let (kept, _) = complete(parse(text), &options).expect("completes");
    assert_eq!(
        (shown(&kept, "a"), shown(&kept, "b"), results(&kept)),
        ("-,-".into(), "x,-".into(), "-,-".into())
    );
}

#[test]
fn why_names_every_step_with_its_op() {
    let (sharded, report) = completed(
        r#"
        sdy.mesh @mesh = <["x"=4, "y"=2]>
        func.func public @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x8xf32> {
          %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
          %e = stablehlo.exponential %t : tensor<4x8xf32>
          return %e : tensor<4x8xf32>
        }"#,
    );
    let module = sharded.module();
    let main = module.main();
    let value = main.values().iter().find(|(_, value)| value.name.as_deref() == Some("e")).expect("%e").0;
    let told: Vec<String> =
        report.why(module, module.entry, value, Dim::new(1)).iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "dim 1 of `%e` got `x` through `exponential`",
            "dim 1 of `%t` got `x` through `transpose`",
            "dim 0 of `%a` is annotated with `x`"
        ]
    );
    assert!(report.why(module, module.entry, value, Dim::new(0)).is_empty());
}

#[test]
fn the_header_of_an_hlo_module_says_which_results_are_free() {
    let text = r#"
HloModule m, allow_spmd_sharding_propagation_to_output={true,false}, num_partitions=4

ENTRY main {
  a = f32[8,8] parameter(0), sharding={devices=[4,1]<=[4]}
  b = f32[8,8] tanh(a)
  c = f32[8,8] negate(a)
  ROOT t = (f32[8,8], f32[8,8]) tuple(b, c)
}
"#;
    let module = meshwright_text::hlo::parse(&meshwright_base::SourceText::new("m", text)).expect("a module");
    let (sharded, _) = complete(module, &Options::default()).expect("completes");
    let module = sharded.module();
    let shown: Vec<String> = module
        .main()
        .results
        .iter()
        .map(|info| {
            support::show(module, info.sharding.as_ref().and_then(|a| a.as_mesh()).expect("a sharding"))
        })
        .collect();
    assert_eq!(shown, ["axis_0,-", "-,-"]);
}

#[test]
fn single_parameters_and_results_can_be_set_free() {
    let text = r#"
        sdy.mesh @mesh = <["x"=4, "y"=2]>
        func.func public @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
          %c = stablehlo.add %a, %b : tensor<8xf32>
          %d = sdy.sharding_constraint %c <@mesh, [{"x"}]> : tensor<8xf32>
          return %d, %d : tensor<8xf32>, tensor<8xf32>
        }"#;
    let options = Options {
        propagate_to_parameters: Free::Only(vec![1]),
        propagate_to_results: Free::Only(vec![0]),
        ..Options::default()
    };
    let (sharded, _) = complete(parse(text), &options).expect("completes");
    assert_eq!((shown(&sharded, "a"), shown(&sharded, "b")), ("-".into(), "x".into()));
    let module = sharded.module();
    let result = |at: usize| {
        support::show(
            module,
            module.main().results[at].sharding.as_ref().and_then(|a| a.as_mesh()).expect("one"),
        )
    };
    assert_eq!((result(0), result(1)), ("x".into(), "-".into()));
}

#[test]
fn parameters_and_results_that_are_not_there_cannot_be_set_free() {
    let text = "func.func public @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n  return %a : tensor<8xf32>\n}";
    let only = |parameters: usize, results: usize| Options {
        propagate_to_parameters: Free::Only(vec![0, parameters]),
        propagate_to_results: Free::Only(vec![results]),
        ..Options::default()
    };
    assert!(complete(parse(text), &only(0, 0)).is_ok());
    let found = complete(parse(text), &only(9, 1)).expect_err("neither is there");
    let [parameter, result] = &found[..] else { panic!("{found:?}") };
    assert_eq!(parameter.message, "parameter 9 may be split, but there is none: the module has 1 parameters");
    assert_eq!(parameter.help.as_deref(), Some("parameters are counted from 0 to 0"));
    assert!(result.message.starts_with("result 1 may be split"), "{}", result.message);
}
