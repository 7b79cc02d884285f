//! What a plan promises is held against rules behind planning, padding and resharding.

use meshwright_base::SourceText;
use meshwright_compile::{Options, StopAfter, Unobserved, plan};
use meshwright_ir::{Annotation, Editor, Module, ValueId};
use meshwright_shard::{AxisRef, Sharding};
use meshwright_spmd::pad::check;

/// Uneven, so that it is padded; and one product whose operand has to be moved.
const TEXT: &str = r#"
sdy.mesh @m = <["x"=4]>
func.func public @main(
    %a: tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
    %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}
) -> (tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) {
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<10x8xf32>, tensor<8x8xf32>) -> tensor<10x8xf32>
  %d = stablehlo.tanh %c : tensor<10x8xf32>
  return %d : tensor<10x8xf32>
}
"#;

/// A sum that each device has a part of.
const SUMMED: &str = r#"
sdy.mesh @m = <["x"=4]>
func.func public @main(
    %a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>},
    %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}
) -> tensor<4x4xf32> {
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}
"#;

fn planned(text: &str, stop_after: StopAfter) -> Module {
    let module = meshwright_text::parse(&SourceText::new("test.mlir", text)).expect("the module is read");
    let (planned, _) =
        plan(module, &Options::default(), stop_after, &mut Unobserved).expect("the module is planned");
    planned.into_module()
}

/// The operand of the only instruction of a kind.
fn operand(module: &Module, mnemonic: &str) -> ValueId {
    let func = module.main();
    let mut insts = func.insts_in_order().into_iter().map(|inst| func.inst(inst));
    insts.find(|info| info.op.mnemonic() == mnemonic).expect("there is one").operands[0]
}

#[test]
fn a_plan_that_was_spoilt_behind_any_stage_does_not_hold() {
    for stop_after in [StopAfter::Plan, StopAfter::Pad, StopAfter::Reshard] {
        let mut module = planned(TEXT, stop_after);
        assert!(check(&module).is_ok(), "{stop_after:?}");
        let value = operand(&module, "tanh");
        let entry = module.entry;
        let Some(Annotation::Mesh(sharding)) = &module.main().value(value).sharding else {
            panic!("the value has a sharding")
        };
        let mut sharding = Sharding::clone(sharding);
        sharding.dims.swap(0, 1);
        let func = &mut module.funcs[entry];
        Editor::new(func).set_sharding(value, Some(Annotation::from(sharding)));
        let wrong = check(&module).expect_err("the plan does not hold");
        assert!(wrong[0].message.contains("does not hold"), "{stop_after:?}: {}", wrong[0].message);
    }
}

#[test]
fn axes_of_a_partial_sum_may_be_cut_into_pieces_but_not_left_out() {
    let mut module = planned(SUMMED, StopAfter::Reshard);
    let func = module.main();
    let dot = func.insts_in_order().into_iter().find(|inst| func.inst(*inst).op.mnemonic() == "dot_general");
    let sum = func.inst(dot.expect("there is one")).results[0];
    let Some(Annotation::Mesh(whole)) = func.value(sum).sharding.clone() else {
        panic!("the value has a sharding")
    };
    let [axis] = whole.partial[..] else { panic!("the sum is partial over one axis") };
    let pieces = [AxisRef { size: 2, ..axis }, AxisRef { pre: 2, size: 2, ..axis }];
    let entry = module.entry;
    for (partial, holds) in [(&pieces[..], true), (&pieces[..1], false), (&[][..], false)] {
        let cut = Sharding { partial: partial.to_vec(), ..Sharding::clone(&whole) };
        Editor::new(&mut module.funcs[entry]).set_sharding(sum, Some(Annotation::from(cut)));
        assert_eq!(check(&module).is_ok(), holds, "{partial:?}");
    }
}
