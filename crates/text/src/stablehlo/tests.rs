//! The form as a whole: what is read, what is written, and what is said about broken texts.

use super::{PrintOptions, parse, parse_with_spans, print, print_with};
use meshwright_base::diagnostic::Place;
use meshwright_base::{Id, SourceText, render};
use meshwright_ir::op::{Groups, ShardingOp};
use meshwright_ir::same::{same, same_with_sources};
use meshwright_ir::{Annotation, Donation, Editor, Module, Op};
use meshwright_shard::{AxisId, AxisRef, Sharding};

fn read(text: &str) -> Module {
    let source = SourceText::new("t.mlir", text);
    match parse(&source) {
        Ok(module) => module,
        Err(errors) => {
            panic!("{}", errors.iter().map(|error| render(error, Some(&source))).collect::<String>())
        }
    }
}

/// `body` in a function of parameters `params`; it must end in its return.
fn function(params: &str, results: &str, body: &str) -> String {
    let body: String = body.trim().lines().map(|line| format!("    {}\n", line.trim_end())).collect();
    format!("module @m {{\n  func.func public @main({params}){results} {{\n{body}  }}\n}}\n")
}

/// The text is what is written for it, and its other forms read back as the same module.
#[track_caller]
fn stays(text: &str) -> Module {
    let module = read(text);
    assert_eq!(print(&module), text);
    for generic in [false, true] {
        let options = PrintOptions { generic, locations: true, ..Default::default() };
        let again = read(&print_with(&module, &options));
        same_with_sources(&module, &again).unwrap();
        assert_eq!(print(&again), text);
    }
    module
}

/// First diagnostic, as `line:column: message`, and how many there are.
fn complaint(text: &str) -> (String, usize) {
    let source = SourceText::new("t.mlir", text);
    let errors = parse(&source).expect_err("a broken text was read");
    let place = match &errors[0].place {
        Some(Place::Span(span)) => source.line_column(span.start),
        _ => (0, 0),
    };
    (format!("{}:{}: {}", place.0, place.1, errors[0].message), errors.len())
}

#[track_caller]
fn complains(text: &str, expected: &str) {
    assert_eq!(complaint(text), (expected.to_string(), 1));
}

const TENSORS: &str = "%a: tensor<4x6xf32>, %b: tensor<4x6xf32>, %s: tensor<f32>, %i: tensor<i32>";

#[test]
fn elementwise_ops_stay_as_they_are_written() {
    stays(&function(
        TENSORS,
        " -> tensor<4x6xi1>",
        "%0 = stablehlo.add %a, %b : tensor<4x6xf32>
%1 = stablehlo.exponential %0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4x6xf32>
%2 = stablehlo.compare LT, %1, %b, TOTALORDER : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
%3 = stablehlo.select %2, %a, %b : tensor<4x6xi1>, tensor<4x6xf32>
%4 = stablehlo.clamp %s, %3, %s : (tensor<f32>, tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
%5 = stablehlo.clamp %a, %4, %b : tensor<4x6xf32>
%6 = stablehlo.complex %5, %b : tensor<4x6xcomplex<f32>>
%7 = stablehlo.real %6 : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
%8 = stablehlo.convert %7 : (tensor<4x6xf32>) -> tensor<4x6xbf16>
%9 = stablehlo.reduce_precision %7, format = e5m10 : tensor<4x6xf32>
%10 = chlo.erf_inv %9 : tensor<4x6xf32> -> tensor<4x6xf32>
%11 = mhlo.copy %10 : tensor<4x6xf32>
%12 = stablehlo.is_finite %11 : (tensor<4x6xf32>) -> tensor<4x6xi1>
return %12 : tensor<4x6xi1>",
    ));
}

#[test]
fn movement_stays_as_it_is_written() {
    stays(&function(
        TENSORS,
        "",
        "%0 = stablehlo.slice %a [0:4:2, 1:5] : (tensor<4x6xf32>) -> tensor<2x4xf32>
%1 = stablehlo.pad %a, %s, low = [0, 1], high = [-1, 1], interior = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x13xf32>
%2 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
%3 = stablehlo.reverse %a, dims = [0] : tensor<4x6xf32>
%4 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
%5 = stablehlo.reshape %4 : (tensor<6x4xf32>) -> tensor<24xf32>
%6 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<24xf32>) -> tensor<2x24xf32>
%7 = stablehlo.dynamic_slice %a, %i, %i, sizes = [2, 2] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
%8 = stablehlo.dynamic_update_slice %a, %7, %i, %i : (tensor<4x6xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
%9 = stablehlo.iota dim = 1 : tensor<4x6xf32>
%10 = stablehlo.dynamic_slice %s, , sizes = [] : (tensor<f32>) -> tensor<f32>
%11 = stablehlo.dynamic_update_slice %s, %10 : (tensor<f32>, tensor<f32>) -> tensor<f32>
return",
    ));
}

#[test]
fn contractions_and_windows_stay_as_they_are_written() {
    stays(&function(
        "%a: tensor<4x6xf32>, %x: tensor<2x8x8x3xf32>, %k: tensor<3x3x3x16xf32>, %s: tensor<f32>",
        "",
        "%0 = stablehlo.dot_general %a, %a, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [HIGHEST, DEFAULT] : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4xf32>
%1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x4xf32>
%2 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<2x4x8x16xf32>
%3 = stablehlo.reduce(%a init: %s) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
return",
    ));
}

#[test]
fn a_reducer_that_is_more_than_one_op_is_written_out() {
    stays(
        "module @m {
  func.func private @main(%a: tensor<4x6xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0:2 = stablehlo.reduce(%a init: %s), (%a init: %s) across dimensions = [1] : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
     reducer(%x: tensor<f32>, %y: tensor<f32>) (%z: tensor<f32>, %w: tensor<f32>)  {
      %1 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %1, %w : tensor<f32>, tensor<f32>
    }
    return %0#1, %0#0 : tensor<4xf32>, tensor<4xf32>
  }
}
",
    );
}

#[test]
fn loops_branches_and_calls_stay_as_they_are_written() {
    let module = stays(
        "module @m {
  func.func public @main(%a: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %a, %iterArg_0 = %i) : tensor<4xf32>, tensor<i32>
    cond {
      %2 = stablehlo.compare LT, %iterArg_0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = func.call @f(%iterArg) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %2, %iterArg_0 : tensor<4xf32>, tensor<i32>
    }
    %1 = \"stablehlo.case\"(%i) ({
      stablehlo.return %0#0 : tensor<4xf32>
    }, {
      %2 = call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %2 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}
"
        .replace("%2 = call @f(%a)", "%2 = func.call @f(%a)")
        .as_str(),
    );
    assert_eq!(&*module.funcs[module.entry].name, "main");
}

#[test]
fn shardy_stays_as_it_is_written() {
    let module = stays(
        r#"module @m attributes {mhlo.num_partitions = 16 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=4]>
  sdy.mesh @mo = <["a"=2, "b"=2], device_ids=[0, 2, 1, 3]>
  func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}) {
    %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
    %2 = sdy.all_to_all [{"x"}: 0->1] %1 out_sharding=<@mesh, [{}, {"y", "x"}]> : tensor<8x8xf32>
    %3 = sdy.collective_permute %1 out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<8x8xf32>
    %4 = sdy.all_reduce {"z"} %1 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
    %5 = sdy.reduce_scatter [{}, {"z"}] %1 out_sharding=<@mesh, [{"x"}, {"y", "z"}]> : tensor<8x8xf32>
    %6 = sdy.sharding_constraint %0 <@mesh, [{"z":(1)2}p0, {?}p1], replicated={"x"}, unreduced={"y"}> : tensor<8x8xf32>
    %7 = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<8x8xf32>
    sdy.sharding_group %7 group_id=3 : tensor<8x8xf32>
    %8 = sdy.propagation_barrier %7 allowed_direction=BACKWARD : tensor<8x8xf32>
    %9 = sdy.named_computation<"foo">(%7) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] (%b: tensor<8x8xf32>) {
      sdy.return %b : tensor<8x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %10 = sdy.manual_computation(%9) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
      sdy.return %b : tensor<4x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %11 = sdy.replicated_to_unreduced {"z"} %7 out_sharding=<@mesh, [{}, {}], unreduced={"z"}> : tensor<8x8xf32>
    %12 = stablehlo.add %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {?}]>]>} : tensor<8x8xf32>
    return %7 : tensor<8x8xf32>
  }
}
"#,
    );
    let main = &module.funcs[module.entry];
    assert!(matches!(main.value(main.param_values()[0]).sharding, Some(Annotation::Mesh(_))));
}

#[test]
fn custom_calls_that_are_annotations_become_sharding_ops() {
    let module = stays(
        r#"module @m attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%a: tensor<8x8xf32> {jax.buffer_donor = true, mhlo.sharding = "{devices=[2,4]<=[8]}"}, %b: tensor<8x8xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<8x8xf32> {jax.result_info = "r['x']"}) {
    %0 = stablehlo.custom_call @Sharding(%a) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<8x8xf32>) -> tensor<2x8xf32>
    %2:2 = stablehlo.custom_call @other(%1) {api_version = 2 : i32, backend_config = "x", has_side_effect = true, mhlo.sharding = "{{manual}, {manual}}", operand_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<i32>)
    return %0 : tensor<8x8xf32>
  }
}
"#,
    );
    let main = &module.funcs[module.entry];
    let first = &main.inst(main.insts_in_order()[0]).op;
    assert_eq!(*first, Op::Sharding(ShardingOp::Constraint { unspecified: vec![1] }));
    assert_eq!(main.params[0].donation, Some(Donation::Donor));
    assert_eq!(main.params[1].donation, Some(Donation::Alias { result: 0, must: false }));
}

#[test]
fn groups_by_mesh_axes_are_read_and_written() {
    let module = stays(
        r#"module @m {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%a: tensor<4xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (2)2>]>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
"#,
    );
    let main = &module.funcs[module.entry];
    let Op::Collective(collective) = &main.inst(main.insts_in_order()[0]).op else { panic!("no collective") };
    assert_eq!(collective.group_size, 2);
    assert!(matches!(&collective.groups, Groups::Axes { axes, .. } if axes[0].pre == 2));
}

#[test]
fn the_shape_of_rng_is_an_operand_in_the_text_only() {
    let text = "module @m {
  func.func public @main(%a: tensor<f32>) -> tensor<2x3xf32> {
    %c = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
    %0 = stablehlo.rng %a, %a, %c, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}
";
    let module = stays(text);
    assert_eq!(module.funcs[module.entry].insts_in_order().len(), 1);
}

#[test]
fn tuples_are_flattened() {
    let module = read(
        "func.func @main(%a: tensor<2xf32>, %b: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.custom_call @f(%a) : (tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<i32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<i32>
  %2 = stablehlo.tuple %1, %0 : tuple<tensor<i32>, tuple<tensor<2xf32>, tensor<i32>>>
  %3 = \"stablehlo.get_tuple_element\"(%2) <{index = 1 : i32}> : (tuple<tensor<i32>, tuple<tensor<2xf32>, tensor<i32>>>) -> tuple<tensor<2xf32>, tensor<i32>>
  %4 = stablehlo.get_tuple_element %3[1] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<i32>
  return %4 : tensor<i32>
}",
    );
    let main = &module.funcs[module.entry];
    assert_eq!(main.insts_in_order().len(), 1);
    assert_eq!(main.result_values()[0], main.inst(main.insts_in_order()[0]).results[1]);
}

#[test]
fn locations_become_sources_whatever_way_they_are_written() {
    let text = r#"#loc = loc(unknown)
module @m {
  func.func public @main(%a: tensor<f32> loc("a")) -> tensor<f32> {
    %0 = stablehlo.sine %a : tensor<f32> loc(#loc4)
    %1 = stablehlo.sine %0 : tensor<f32> loc("x/y"("g"("b.py":1:2 to 3:4)))
    %2 = stablehlo.sine %1 : tensor<f32> loc(fused<"z">[unknown, "p.py":7:0])
    return %2 : tensor<f32> loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("a.py":3:17 to :27)
#loc2 = loc("f"(#loc1))
#loc3 = loc("<module>"("a.py":9:4))
#loc4 = loc("jit(f)/sin"(callsite(#loc2 at callsite(#loc3 at #loc3))))
"#;
    let module = read(text);
    let main = &module.funcs[module.entry];
    let source = |at: usize| &module.sources[main.inst(main.insts_in_order()[at]).source];
    assert_eq!(source(0).op_name.as_deref(), Some("jit(f)/sin"));
    let frames: Vec<_> =
        source(0).frames.iter().map(|f| (f.function.as_deref().unwrap_or(""), f.line)).collect();
    assert_eq!(frames, [("f", 3), ("<module>", 9), ("<module>", 9)]);
    assert_eq!((source(1).frames[0].function.as_deref(), source(1).frames[0].end_line), (Some("g"), 3));
    assert_eq!((source(2).op_name.as_deref(), source(2).frames[0].line), (None, 7));
    let written =
        print_with(&module, &PrintOptions { generic: false, locations: true, ..Default::default() });
    same_with_sources(&module, &read(&written)).unwrap();
    assert!(written.ends_with("#loc3 = loc(\"p.py\":7:0)\n"), "{written}");
}

#[test]
fn attributes_of_functions_are_not_taken_for_the_modules() {
    let text = "module @m {
  func.func public @main(%a: tensor<f32>) -> tensor<f32> attributes {x.y = 1 : i32} {
    return %a : tensor<f32>
  }
}
";
    assert!(stays(text).attrs.is_empty());
}

#[test]
fn spans_lead_from_instructions_to_their_text() {
    let text = function("%a: tensor<f32>", "", "%0 = stablehlo.sine %a : tensor<f32>\nreturn");
    let source = SourceText::new("t", text.clone());
    let (module, spans) = parse_with_spans(&source).unwrap();
    let main = &module.funcs[module.entry];
    let span = spans[module.entry][main.insts_in_order()[0]];
    assert_eq!(&text[span.start as usize..span.end as usize], "%0 = stablehlo.sine %a : tensor<f32>");
}

#[test]
fn unnamed_values_are_numbered_and_clashing_names_get_suffixes() {
    let mut module = read(&function(
        "%arg0: tensor<f32>",
        " -> tensor<f32>",
        "%x = stablehlo.sine %arg0 : tensor<f32>\n%y = stablehlo.sine %x : tensor<f32>\nreturn %y : tensor<f32>",
    ));
    let entry = module.entry;
    let insts = module.funcs[entry].insts_in_order();
    let values: Vec<_> = insts.iter().map(|inst| module.funcs[entry].inst(*inst).results[0]).collect();
    let mut editor = meshwright_ir::Editor::new(&mut module.funcs[entry]);
    editor.set_name(values[0], None);
    editor.set_name(values[1], Some("arg0".into()));
    let text = print(&module);
    assert!(text.contains("%0 = stablehlo.sine %arg0 "), "{text}");
    assert!(text.contains("%arg0_0 = stablehlo.sine %0 "), "{text}");
    same(&read(&text), &read(&print(&read(&text)))).unwrap();
}

#[test]
fn names_are_free_where_no_value_before_them_has_them() {
    let pred = "tensor<i1>";
    stays(&function(
        &format!("%p: {pred}"),
        &format!(" -> {pred}"),
        &format!(
            "%0 = \"stablehlo.if\"(%p) ({{\n  %0 = stablehlo.not %p : {pred}\n  stablehlo.return %0 : {pred}\n}}, {{\n  \
             %1 = stablehlo.not %p : {pred}\n  stablehlo.return %1 : {pred}\n}}) : ({pred}) -> {pred}\n\
             %1 = stablehlo.not %0 : {pred}\nreturn %1 : {pred}"
        ),
    ));
}

#[test]
fn groups_of_results_stand_beside_results_with_names() {
    let call = |names: &str| {
        function(
            "%a: tensor<f32>",
            "",
            &format!(
                "{names} = stablehlo.custom_call @many(%a) : (tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)\nreturn"
            ),
        )
    };
    for names in ["%0:3", "%x:3", "%x, %y, %z", "%x, %0:2", "%0:2, %x"] {
        stays(&call(names));
    }
    let text = call("%x:2, %y, %0, %z").replace("tensor<f32>)\n", "tensor<f32>, tensor<f32>, tensor<f32>)\n");
    let printed = print(&read(&text));
    same(&read(&text), &read(&printed)).unwrap();
    assert!(
        printed.contains("%1:2, %y, %0, %z = "),
        "a whole that is not all results loses its name: {printed}"
    );
}

#[test]
fn a_loop_has_one_name_for_its_state_in_both_regions() {
    let t = "tensor<f32>";
    let text = function(
        &format!("%a: {t}"),
        &format!(" -> {t}"),
        &format!(
            "%0 = \"stablehlo.while\"(%a) ({{\n^bb0(%x: {t}):\n  %c = stablehlo.constant dense<true> : tensor<i1>\n  \
             stablehlo.return %c : tensor<i1>\n}}, {{\n^bb0(%y: {t}):\n  %x = stablehlo.sine %y : {t}\n  \
             stablehlo.return %x : {t}\n}}) : ({t}) -> {t}\nreturn %0 : {t}"
        ),
    );
    let module = read(&text);
    same(&module, &read(&print(&module))).unwrap();
}

#[test]
fn aliases_inside_of_kept_attributes_are_written_out() {
    let text = "#a = #mine.a<1>\n#b = [#a, 2]\nmodule attributes {mine.x = [#b], mine.y = #mine.c<#a>, mine.z = #a} {\n  \
                func.func public @main() {\n    return\n  }\n}\n";
    let printed = print(&read(text));
    assert!(printed.contains("mine.x = [[#mine.a<1>, 2]]"), "{printed}");
    assert!(printed.contains("mine.y = #mine.c<#mine.a<1>>"), "{printed}");
    same(&read(text), &read(&printed)).unwrap();
}

#[test]
fn aliases_that_double_each_other_are_refused_in_little_memory() {
    for (from, to) in [("[", "]"), ("#m.x<", ">")] {
        let mut text = "#a0 = 1\n".to_string();
        for i in 1..60 {
            text += &format!("#a{i} = {from}#a{}, #a{}{to}\n", i - 1, i - 1);
        }
        text += "module attributes {mine.x = #a59} {\n  func.func public @main() {\n    return\n  }\n}\n";
        let (said, _) = complaint(&text);
        assert!(said.contains("aliases of attributes stand for more than"), "{said}");
    }
}

#[test]
fn a_huge_splat_costs_nothing() {
    let text = function(
        "",
        " -> tensor<2147483647x1000000xf32>",
        "%cst = stablehlo.constant dense<0.000000e+00> : tensor<2147483647x1000000xf32>\nreturn %cst : tensor<2147483647x1000000xf32>",
    );
    stays(&text);
}

#[test]
fn broken_lines_are_reported_each_and_their_results_not_again() {
    let text = function(
        TENSORS,
        "",
        "%0 = stablehlo.ad %a, %b : tensor<4x6xf32>
%1 = stablehlo.add %0, %b : tensor<4x6xf32>
%2 = stablehlo.add %a, %missing : tensor<4x6xf32>
%3 = stablehlo.add %a, %s : tensor<4x6xf32>
%4 = stablehlo.transpose %a, dim = [0] : (tensor<4x6xf32>) -> tensor<4x6xf32>
%5 = stablehlo.add %a, %b {foo = 1 : i32} : tensor<4x6xf32>
%6 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>
return",
    );
    let source = SourceText::new("t", text);
    let errors = parse(&source).unwrap_err();
    let messages: Vec<_> = errors.iter().map(|error| error.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "unknown op `stablehlo.ad`",
            "`%missing` is used here but not defined before",
            "this value has type f32[], but is used as f32[4,6]",
            "expected `dims`, found `dim`",
            "unknown attribute `foo`",
            "this list has 2 items, but dim 0 of s32[3] has size 3",
        ]
    );
    assert_eq!(errors[0].help.as_deref(), Some("did you mean `stablehlo.add`?"));
}

#[test]
fn reading_stops_after_fifty_diagnostics() {
    let lines = |count: usize| {
        (0..count).map(|i| format!("%{i} = stablehlo.ad %a : tensor<f32>\n")).collect::<String>()
    };
    let text = |count| function("%a: tensor<f32>", "", &format!("{}return", lines(count)));
    assert_eq!(complaint(&text(49)).1, 49);
    assert_eq!(complaint(&text(60)).1, 50);
}

#[test]
fn an_error_inside_of_a_region_hides_nothing_behind_it() {
    let text = "func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.while(%x = %a) : tensor<f32>
  cond {
    %c = stablehlo.constant dense<tru> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %1 = stablehlo.sin %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  %2 = stablehlo.cos %0 : tensor<f32>
  return %2 : tensor<f32>
}";
    let (first, count) = complaint(text);
    assert_eq!((first.as_str(), count), ("4:35: `tru` is no value of type pred", 3));
}

#[test]
fn broken_scans_are_told_what_is_wrong() {
    let scan = |dim: &str, attributes: &str, body: &str, result: &str| {
        let text = format!(
            "%0:2 = chlo.scan(%a) inits (%b) dimension={dim} attributes {{{attributes}}} {{\n^bb0(%x: tensor<4xf32>, \
             %c: tensor<4xf32>):\n{body}\n}} : (tensor<4x6xf32>, tensor<4xf32>) -> ({result}, tensor<4xf32>)\nreturn"
        );
        function("%a: tensor<4x6xf32>, %b: tensor<4xf32>", "", &text)
    };
    let adds =
        "%s = stablehlo.add %x, %c : tensor<4xf32>\nstablehlo.return %s, %s : tensor<4xf32>, tensor<4xf32>";
    read(&scan("1", "is_associative = true", adds, "tensor<4x6xf32>"));
    read(&scan("1", "", adds, "tensor<4x6xf32>"));
    complains(
        &scan("2", "", adds, "tensor<4x6xf32>"),
        "3:12: operand 0 of chlo.scan has 2 dims, and no dim 2",
    );
    complains(
        &scan("1", "scan_dim_size = 5 : i64", adds, "tensor<4x6xf32>"),
        "3:12: dim 1 of operand 0 of chlo.scan has size 6, not 5",
    );
    for attributes in ["", "is_associative = true"] {
        complains(
            &scan("1", attributes, adds, "tensor<4x5xf32>"),
            "3:12: result 0 of chlo.scan is f32[4,6], not f32[4,5]",
        );
        complains(
            &scan("0", attributes, adds, "tensor<4x6xf32>"),
            "3:12: chlo.scan: parameters of the body: number 1 is f32[4], but in the list of carried values and \
             slices it is f32[6]",
        );
    }
    complains(
        &scan("1", "", "stablehlo.return %x : tensor<4xf32>", "tensor<4x6xf32>"),
        "3:12: chlo.scan: its body takes 2 values and returns 1, but it has 2 operands and 2 results",
    );
    complains(
        &scan("1", "mhlo.sharding = \"{replicated}\"", adds, "tensor<4x6xf32>"),
        "3:77: chlo.scan cannot have a sharding of its own",
    );
    complains(
        &function(
            "%b: tensor<4xf32>",
            "",
            "%0 = chlo.scan() inits (%b) dimension=0 {\n^bb0(%c: tensor<4xf32>):\nstablehlo.return %c : \
             tensor<4xf32>\n} : (tensor<4xf32>) -> tensor<4xf32>\nreturn",
        ),
        "3:10: chlo.scan needs the attribute `scan_dim_size`",
    );
}

#[test]
fn broken_texts_are_told_what_is_wrong() {
    let body = |body: &str| function("%a: tensor<4xf32>", "", body);
    complains("module @m {", "1:11: the text ends inside of this module");
    complains("", "1:1: the module has no function");
    complains("module {\n  foo.bar\n}", "2:3: unknown op `foo.bar` in a module");
    complains("func.func @f() {\n  return", "1:16: the text ends inside of this region");
    complains("func.func @f()", "1:11: function `@f` has no body");
    complains(
        &body("%0 = stablehlo.sine %a : tensor<?xf32>\nreturn"),
        "3:37: dynamic and unranked shapes are not supported",
    );
    complains(
        &body("%0 = stablehlo.sine %a : tensor<4x!quant.uniform<i8:f32, 1.0>>\nreturn"),
        "3:39: quantized types are not supported",
    );
    complains(&body("%0 = stablehlo.sine %a : tensor<4xf23>\nreturn"), "3:39: unknown element type `f23`");
    complains(
        &body("%0 = stablehlo.constant dense_resource<x> : tensor<4xf32>\nreturn"),
        "3:29: resource literals are not supported: their data is outside of the module's text",
    );
    complains(
        &body(
            "%0 = stablehlo.dynamic_reshape %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\nreturn",
        ),
        "3:10: op `stablehlo.dynamic_reshape` is not supported",
    );
    complains(&body("%a = stablehlo.sine %a : tensor<4xf32>\nreturn"), "3:5: `%a` is defined twice");
    complains(
        &body("%0 = call @g(%a) : (tensor<4xf32>) -> tensor<4xf32>\nreturn"),
        "3:15: no function `@g` is defined in this module",
    );
    complains(
        &body("%0:2 = stablehlo.sine %a : tensor<4xf32>\nreturn"),
        "3:12: 2 results are named, but the op has 1",
    );
    complains(&body("%0 = \"stablehlo.sine\"(%a : tensor<4xf32>\nreturn"), "3:30: expected `)`, found `:`");
    complains(
        &body("return %a : tensor<4xf32>"),
        "2:20: this function returns (f32[4]), but is declared to return ()",
    );
    complains(
        &body("%0 = stablehlo.sine %a {mhlo.sharding = \"{devices=[2]0,1,2}\"} : tensor<4xf32>\nreturn"),
        "3:47: tile counts [2] need 2 devices, 3 are given",
    );
}

#[test]
fn a_use_before_its_definition_is_told_from_a_missing_one() {
    let text = function(
        "%a: tensor<f32>",
        "",
        "%0 = stablehlo.sine %1 : tensor<f32>\n%1 = stablehlo.sine %a : tensor<f32>\nreturn",
    );
    let errors = parse(&SourceText::new("t", text)).unwrap_err();
    assert_eq!(
        errors[0].help.as_deref(),
        Some("it is defined below: move the definition before its first use")
    );
}

#[test]
fn nesting_without_end_is_refused_without_overflowing() {
    let deep = |open: &str| {
        complaint(&function(
            "",
            "",
            &format!("%0 = \"stablehlo.after_all\"() {{x.y = {}\nreturn", open.repeat(100_000)),
        ))
        .1
    };
    for open in ["[", "{a=", "(", "<", "array<i64:", "#sdy.sharding<", "tuple<", "dense<[", "{"] {
        assert!(deep(open) >= 1, "{open}");
    }
    let regions = "%0 = \"stablehlo.if\"(%a) ({\n".repeat(50_000);
    assert!(complaint(&function("%a: tensor<i1>", "", &regions)).1 >= 1);
    let types = format!("%0 = stablehlo.tuple %a : {}", "tuple<".repeat(100_000));
    assert!(complaint(&function("%a: tensor<i1>", "", &types)).1 >= 1);
    let locations = format!("%0 = stablehlo.not %a : tensor<i1> loc({}\nreturn", "callsite(".repeat(100_000));
    assert!(complaint(&function("%a: tensor<i1>", "", &locations)).1 >= 1);
    let commas = format!("%0 = stablehlo.constant dense<{}> : tensor<i1>\nreturn", "[".repeat(100_000));
    assert_eq!(complaint(&function("", "", &commas)).1, 1);
}

#[test]
fn garbage_gives_a_few_diagnostics_and_no_panic() {
    let text: String = (0..20_000u32).map(|i| char::from_u32(i * 37 % 256).unwrap_or(' ')).collect();
    for start in [
        "",
        "module {",
        "module {\nfunc.func @f() {\n",
        "module @m {\n%0 = \"",
        "#a = ",
        "\"builtin.module\"() ({",
    ] {
        let errors = parse(&SourceText::new("t", format!("{start}{text}"))).unwrap_err();
        assert!((1..=50).contains(&errors.len()));
    }
}

#[test]
fn locations_that_double_at_each_step_stay_small() {
    let mut text = String::from("#loc0 = loc(\"a.py\":1:1)\n");
    for i in 1..90 {
        text += &format!("#loc{i} = loc(callsite(#loc{} at #loc{}))\n", i - 1, i - 1);
    }
    text += "#x = loc(callsite(#x at #x))\nfunc.func @f(%a: tensor<f32>) {\n  %0 = stablehlo.sine %a : tensor<f32> loc(#loc89)\n";
    text += "  %1 = stablehlo.sine %0 : tensor<f32> loc(#x)\n  return\n}\n";
    let module = read(&text);
    assert!(module.sources.values().all(|source| source.frames.len() <= 200));
}

#[test]
fn a_stack_of_many_calls_is_read_down_to_its_end() {
    let mut text = String::from("#loc1000 = loc(\"a.py\":1:1)\n");
    for i in 1001..1180 {
        text += &format!(
            "#frame{i} = loc(\"a.py\":{i}:1)\n#loc{i} = loc(callsite(#loc{} at #frame{i}))\n",
            i - 1
        );
    }
    text += "func.func @f(%a: tensor<f32>) {\n  %0 = stablehlo.sine %a : tensor<f32> loc(#loc1179)\n  return\n}\n";
    let module = read(&text);
    assert!(module.sources.values().any(|source| source.frames.len() == 180));
}

/// Every module that JAX lowered for us reads, verifies, and stays the same through every form.
#[test]
fn golden_modules_stay_the_same() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden");
    let Ok(cases) = std::fs::read_dir(root) else { return };
    let mut files: Vec<_> =
        cases.flatten().filter_map(|case| std::fs::read_dir(case.path()).ok()).flatten().collect();
    files.retain(|file| {
        file.as_ref().is_ok_and(|file| file.path().extension().is_some_and(|end| end == "mlir"))
    });
    let mut paths: Vec<_> = files.into_iter().flatten().map(|file| file.path()).collect();
    paths.sort();
    for path in paths {
        let source = SourceText::new(path.to_string_lossy(), std::fs::read_to_string(&path).unwrap());
        let module = read(&source.text);
        meshwright_ir::verify(&module).unwrap_or_else(|errors| panic!("{}: {}", source.name, errors[0]));
        for (generic, locations) in [(false, false), (true, false), (false, true), (true, true)] {
            let written = print_with(&module, &PrintOptions { generic, locations, ..Default::default() });
            let again = read(&written);
            let alike = if locations { same_with_sources(&module, &again) } else { same(&module, &again) };
            alike.unwrap_or_else(|difference| panic!("{} {generic} {locations}: {difference}", source.name));
            assert_eq!(
                print_with(&again, &PrintOptions { generic, locations, ..Default::default() }),
                written,
                "{}",
                source.name
            );
        }
    }
}

#[test]
fn a_reduction_wider_than_its_input_keeps_its_region() {
    stays(
        r#"module @m {
  func.func public @main(%a: tensor<2xbf16>, %b: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.reduce(%a init: %b) across dimensions = [0] : (tensor<2xbf16>, tensor<f32>) -> tensor<f32>
     reducer(%arg0: tensor<f32>, %arg1: tensor<f32>)  {
      %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }
    return %0 : tensor<f32>
  }
}
"#,
    );
}

/// Shardy's text has no word for it outside of its regions.
#[test]
fn what_is_local_by_custom_calls_is_said_in_tiles() {
    let call = |target: &str, sharding: &str| {
        format!(
            "stablehlo.custom_call @{target}(%0) {{backend_config = \"\", mhlo.sharding = \"{sharding}\"}}"
        )
    };
    let half = call("SPMDFullToShardShape", "{devices=[2,1,2]<=[4] last_tile_dims={manual}}");
    let all = call("SPMDFullToShardShape", "{manual}");
    for (axes, expected) in [(&[AxisRef::whole(AxisId::from_index(1), 2)][..], half), (&[], all)] {
        let mut module = read(
            r#"module @m {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x8xf32> {
    %0 = sdy.sharding_constraint %a <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) : (tensor<8x8xf32>) -> tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
}
"#,
        );
        let (id, mesh) = module.meshes.iter().next().unwrap();
        let mut sharding = Sharding::replicated(id, 2);
        sharding.manual = if axes.is_empty() { mesh.whole_axes() } else { axes.to_vec() };
        if !axes.is_empty() {
            sharding.dims[0].axes = vec![AxisRef::whole(AxisId::from_index(0), 2)];
        }
        let func = &mut module.funcs[module.entry];
        let result = func.result_values()[0];
        Editor::new(func).set_sharding(result, Some(Annotation::from(sharding)));
        let text = print(&module);
        assert!(text.contains(&expected), "{text}");
        assert_eq!(print(&read(&text)), text);
    }
}
