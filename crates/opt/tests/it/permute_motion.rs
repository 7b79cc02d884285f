//! Collective permutes: which are merged or moved, and that the program means the same after it.

use meshwright_base::{SourceText, render};
use meshwright_interp::{Tensor, run_devices};
use meshwright_ir::op::{Collective, CollectiveKind};
use meshwright_ir::{DType, Module, Op, verify};
use meshwright_opt::{dce, permute_motion};

fn parse(text: &str) -> Module {
    let source = SourceText::new("test.hlo", text);
    meshwright_text::hlo::parse(&source).unwrap_or_else(|errors| {
        panic!("{}", errors.iter().map(|error| render(error, Some(&source))).collect::<String>())
    })
}

/// Permutes left of a program of four devices on `x`, `y: f32[5]`; its results must be what they were, bit for bit.
fn left(lines: &str) -> Vec<Vec<(u32, u32)>> {
    let text = format!(
        "HloModule test, num_partitions=4
         ENTRY main {{
           x = f32[5] parameter(0)
           y = f32[5] parameter(1)
           {lines}
         }}"
    );
    let before = parse(&text);
    let mut after = before.clone();
    permute_motion(&mut after);
    dce(&mut after);
    verify(&after).expect("the program holds");
    assert_eq!(outcome(&before), outcome(&after));
    let main = after.main();
    let pairs = |op: &Op| match op {
        Op::Collective(Collective { kind: CollectiveKind::Permute { pairs }, .. }) => Some(pairs.clone()),
        _ => None,
    };
    main.insts_in_order().into_iter().filter_map(|inst| pairs(&main.inst(inst).op)).collect()
}

fn outcome(module: &Module) -> Vec<Vec<Vec<u8>>> {
    let values = |of: f64| [f64::NAN, -0.0, f64::INFINITY, of, of * of];
    let tensor = |of: f64| Tensor::from_f64s(DType::F32, &[5], &values(of)).expect("5 values");
    let inputs: Vec<_> =
        (0..4).map(|device| vec![tensor(f64::from(device) + 0.1), tensor(-f64::from(device))]).collect();
    let results = run_devices(module, 4, &inputs).expect("the program runs");
    results.iter().map(|tensors| tensors.iter().map(Tensor::to_bytes).collect()).collect()
}

fn permute(name: &str, of: &str, pairs: &str, channel: u32) -> String {
    format!("{name} = f32[5] collective-permute({of}), channel_id={channel}, source_target_pairs={pairs}\n")
}

const RING: &str = "{{0,1},{1,2},{2,3},{3,0}}";
const BACK: &str = "{{1,0},{2,1},{3,2},{0,3}}";

#[test]
fn one_after_another_is_one() {
    let chain = permute("a", "x", RING, 1) + &permute("b", "a", RING, 2) + &permute("c", "b", RING, 3);
    assert_eq!(left(&(chain + "ROOT r = f32[5] negate(c)")), [[(0, 3), (1, 0), (2, 1), (3, 2)]]);
}

#[test]
fn what_comes_home_was_never_sent() {
    let chain = permute("a", "x", RING, 1) + &permute("b", "a", BACK, 2);
    assert!(left(&(chain + "ROOT r = f32[5] negate(b)")).is_empty());
}

#[test]
fn devices_nobody_sends_to_keep_their_zeros() {
    let chain = permute("a", "x", "{{0,1},{1,2},{2,3}}", 1) + &permute("b", "a", "{{1,0},{2,1},{3,2}}", 2);
    assert_eq!(left(&(chain + "ROOT r = f32[5] negate(b)")), [[(0, 0), (1, 1), (2, 2)]]);
}

#[test]
fn a_value_that_others_use_is_sent_as_it_was() {
    let chain = permute("a", "x", RING, 1) + &permute("b", "a", RING, 2);
    assert_eq!(left(&(chain + "ROOT r = f32[5] add(a, b)")).len(), 2);
}

#[test]
fn operands_of_one_op_are_sent_as_one() {
    let lines = permute("a", "x", RING, 1) + &permute("b", "y", RING, 2) + "s = f32[5] subtract(a, b)\n";
    let again =
        lines.clone() + &permute("c", "x", BACK, 3) + &permute("d", "c", "{{0,2},{1,3},{2,0},{3,1}}", 4);
    assert_eq!(left(&(lines + "ROOT r = f32[5] negate(s)")).len(), 1);
    // The second pair of permutes is the first ring as well: all three operands are sent as one.
    let all = again + "m = f32[5] multiply(s, d)\nROOT r = f32[5] negate(m)";
    assert_eq!(left(&all), [[(0, 1), (1, 2), (2, 3), (3, 0)]]);
}

#[test]
fn zeros_do_not_move_behind_an_op() {
    let some = "{{0,1},{1,2},{2,3}}";
    let lines = permute("a", "x", some, 1) + &permute("b", "y", some, 2);
    assert_eq!(left(&(lines + "ROOT r = f32[5] divide(a, b)")).len(), 2);
}
