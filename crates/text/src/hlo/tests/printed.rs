//! What printing and reading again must not change: the order of computations, roots, Shardy's manual regions.

use super::{read, round_trip};
use crate::hlo::{parse, print};
use meshwright_base::{Id, SourceText};
use meshwright_ir::op::{Call, Foreign, ShardingOp};
use meshwright_ir::{Editor, FuncId, Op};

#[test]
fn computations_stand_in_the_order_of_first_use() {
    let text = "HloModule m\n\na { a.x = f32[] parameter(0)\n ROOT a.y = f32[] negate(a.x) }\n\n\
        c { c.x = f32[] parameter(0)\n ROOT c.y = f32[] abs(c.x) }\n\n\
        b { b.x = f32[] parameter(0)\n ROOT b.y = f32[] call(b.x), to_apply=a }\n\n\
        ENTRY e { x = f32[] parameter(0)\n y = f32[] call(x), to_apply=c\n ROOT z = f32[] call(y), to_apply=b }\n";
    let (mut module, text) = round_trip(text);
    // As another maker may have numbered them.
    let mut order: Vec<FuncId> = module.funcs.keys().collect();
    order.reverse();
    let moved = |func: FuncId| FuncId::from_index(order.len() - 1 - func.index());
    module.funcs = order.iter().map(|func| module.funcs[*func].clone()).collect();
    module.entry = moved(module.entry);
    for func in module.funcs.values_mut() {
        for inst in func.insts_in_order() {
            if let Op::Call(call) = &func.inst(inst).op {
                let callee = moved(call.callee);
                Editor::new(func).set_op(inst, Op::Call(Call { callee }));
            }
        }
    }
    let printed = print(&module);
    assert_eq!(print(&read(&printed)), printed);
    assert_eq!(printed, text);
}

/// A region over one axis as Shardy's export writes it, but for its last instruction, in which OUT_OF stands for the
/// attributes.
const SHARDY_REGION: &str = r##"HloModule m, num_partitions=2, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2]>}}

body { p = f32[2] parameter(0)
  q = f32[2] parameter(1)
  ROOT s = f32[2] add(p, q) }

ENTRY main { x = f32[4] parameter(0)
  y = f32[2] parameter(1)
  l = (f32[2], f32[2]) custom-call(x, y), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>, <@mesh, [{}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>"}
  a = f32[2] get-tuple-element(l), index=0
  b = f32[2] get-tuple-element(l), index=1
  r = f32[2] call(a, b), to_apply=body, frontend_attributes={inlineable="false"}
  EXIT }
"##;

fn shardy_region(exit: &str) -> String {
    let attrs = r##"custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>"}"##;
    SHARDY_REGION.replace("EXIT", &exit.replace("OUT_OF", attrs))
}

#[test]
fn a_call_between_shardys_edges_is_a_manual_region() {
    let (module, printed) = round_trip(&shardy_region("ROOT g = f32[4] custom-call(r), OUT_OF"));
    let main = module.main();
    let [only] = main.insts_in_order()[..1] else { panic!("no instruction") };
    let Op::Sharding(ShardingOp::Manual(manual)) = &main.inst(only).op else {
        panic!("no region\n{printed}")
    };
    assert_eq!((manual.axes.len(), manual.in_shardings.len(), manual.out_shardings.len()), (1, 2, 1));
    assert!(printed.contains("%r = f32[2]{0} call(%a, %b), to_apply=%body"), "{printed}");
    assert!(printed.contains("ROOT %g = f32[4]{0} custom-call(%r)"), "{printed}");
}

/// What uses a local value from outside of the region is no part of one.
#[test]
fn edges_that_stand_apart_stay_custom_calls() {
    let text =
        shardy_region("z = f32[2] negate(a)\n g = f32[4] custom-call(r), OUT_OF\n ROOT t = tuple(g, z)");
    let (module, _) = round_trip(&text);
    let ops = module.main().insts_in_order().into_iter().map(|inst| &module.main().inst(inst).op);
    assert_eq!(ops.filter(|op| matches!(op, Op::Foreign(Foreign::CustomCall(_)))).count(), 2);
}

#[test]
fn a_sharding_at_an_edge_that_does_not_read_is_told() {
    let text =
        shardy_region("ROOT g = f32[4] custom-call(r), OUT_OF").replace("<@mesh, [{}]>", "<@other, [{}]>");
    let error = parse(&SourceText::new("t.hlo", text)).unwrap_err();
    assert_eq!(error[0].message, "no mesh is called `other`");
    assert!(error[0].place.is_some());
}

#[test]
fn a_root_that_is_no_tuple_instruction_stays_the_root() {
    let text = "HloModule m\n\n\
        f { p = f32[] parameter(0)\n ROOT t = tuple(p, p) }\n\n\
        ENTRY e { x = f32[] parameter(0)\n ROOT y = (f32[], f32[]) call(x), to_apply=f }\n";
    let (_, printed) = round_trip(text);
    assert!(printed.contains("ROOT %y = (f32[], f32[]) call(%x)"), "{printed}");
    assert_eq!(print(&read(&printed)), printed);
}

#[test]
fn stack_frames_in_a_circle_end() {
    let text = "HloModule m\n\nStackFrames\n1 {file_location_id=7 parent_frame_id=3}\n\
        2 {file_location_id=7 parent_frame_id=2}\n\nENTRY e {\n  \
        ROOT x = f32[] parameter(0), metadata={op_name=\"x\" stack_frame_id=1}\n}\n";
    round_trip(text);
}

#[test]
fn a_region_that_returns_what_it_captures_has_one_root() {
    let text = r#"func.func public @main(%x: tensor<6xf32>, %i: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%x init: %i) across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) { stablehlo.return %i : tensor<f32> }
  return %0 : tensor<f32>
}"#;
    let module = crate::stablehlo::parse(&SourceText::new("t.mlir", text)).unwrap();
    let printed = print(&module);
    assert_eq!(printed.matches("ROOT %i").count(), 0, "{printed}");
    assert_eq!(print(&read(&printed)), printed);
}

#[test]
fn layouts_of_a_call_lose_their_spaces() {
    let text = "func.func public @main(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %lu:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {mhlo.backend_config = {}, operand_layouts = [dense<   [0, 1 ]> : tensor<2xindex>], result_layouts = [dense<  [ 0,1]> : tensor<2xindex>, dense< 0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>, tensor<i32>)
  return %lu#0 : tensor<3x3xf32>
}";
    let module = crate::parse(&SourceText::new("test", text)).unwrap();
    let printed = print(&module);
    assert!(printed.contains("(f32[3,3]{0,1}, s32[3]{0}, s32[])"), "{printed}");
    assert!(printed.contains("operand_layout_constraints={f32[3,3]{0,1}}"), "{printed}");
    assert_eq!(print(&read(&printed)), printed);
}
