//! Faults put in on purpose, each as a pass might make it: the plan is refused before anything runs.

use super::{PASSES, faults};
use crate::lower::{Lowered, lower};
use meshwright_base::SourceText;
use meshwright_kernels::step::{BufId, Effects, Step};
use meshwright_steps::{StepId, verify};

/// What is found wrong with a module's steps; `plant` is called behind the pass of this name, and what the verifier
/// finds there comes first.
fn planned(text: &str, behind: &str, plant: &dyn Fn(&mut Lowered)) -> Vec<String> {
    let parsed = meshwright_text::parse(&SourceText::new("planted".to_string(), text.to_string()));
    let module = parsed.map_err(|all| all.first().map_or(String::new(), ToString::to_string)).unwrap();
    let mut lowered = lower(&module, 1, true).unwrap();
    for pass in &PASSES {
        (pass.run)(&mut lowered);
        if pass.name == behind {
            plant(&mut lowered);
            let found = verify(&lowered.steps, &lowered.donated);
            if !found.is_empty() {
                return found;
            }
        }
    }
    faults(&lowered)
}

/// The steps of a family, in order.
fn steps_of(lowered: &Lowered, kind: &str) -> Vec<StepId> {
    lowered.steps.order().into_iter().filter(|step| lowered.steps.work(*step).kind() == kind).collect()
}

fn made(lowered: &Lowered, kind: &str, at: usize) -> BufId {
    lowered.steps.work(steps_of(lowered, kind)[at]).writes()[0]
}

fn refused(faults: &[String], why: &str) {
    assert!(faults.iter().any(|fault| fault.contains(why)), "{faults:?}");
}

/// `%a` is read by the second product, after `%b` is made of it.
const READ_LATER: &str = "
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %a = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %b = stablehlo.exponential %a : tensor<8x8xf32>
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}
";

/// The body multiplies the new value by the old one.
const OLD_AND_NEW: &str = "
func.func @main(%x: tensor<8x8xf32>, %n: tensor<i32>) -> (tensor<8x8xf32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%c = %x, %i = %zero) : tensor<8x8xf32>, tensor<i32>
    cond {
      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %t = stablehlo.dot_general %c, %c, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %u = stablehlo.dot_general %t, %c, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %u, %j : tensor<8x8xf32>, tensor<i32>
    }
  return %r#0 : tensor<8x8xf32>
}
";

/// Two loops store their results as halves of one array.
const HALVES: &str = "
func.func @main(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> (tensor<16x64xf32>, tensor<8x64xf32>) {
  %a = stablehlo.exponential %x : tensor<8x64xf32>
  %b = stablehlo.negate %y : tensor<8x64xf32>
  %c = stablehlo.concatenate %a, %b, dim = 0 : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<16x64xf32>
  %m = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x64xf32>) -> tensor<64x8xf32>
  %d = stablehlo.dot_general %b, %m, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  %e = stablehlo.dot_general %d, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  return %c, %e : tensor<16x64xf32>, tensor<8x64xf32>
}
";

#[test]
fn what_is_planned_is_right_without_a_planted_fault() {
    for text in [READ_LATER, OLD_AND_NEW, HALVES] {
        assert_eq!(planned(text, "drop_unread", &|_| {}), Vec::<String>::new());
    }
}

#[test]
fn a_value_made_in_the_place_of_one_that_is_still_read_is_refused() {
    let found = planned(READ_LATER, "in_place", &|lowered| {
        let (a, b) = (made(lowered, "dot", 0), made(lowered, "fused", 0));
        let (a, b) = (lowered.steps.shared.root(a), lowered.steps.shared.root(b));
        lowered.steps.shared.put(b, a);
    });
    refused(&found, "or was written over");
}

#[test]
fn a_product_made_in_the_place_of_its_operand_is_refused() {
    let found = planned(READ_LATER, "in_place", &|lowered| {
        let (b, c) = (made(lowered, "fused", 0), made(lowered, "dot", 1));
        let (b, c) = (lowered.steps.shared.root(b), lowered.steps.shared.root(c));
        lowered.steps.shared.put(b, c);
    });
    refused(&found, "which it reads in another order");
}

#[test]
fn a_value_made_where_a_carry_lies_that_is_still_read_is_refused() {
    let found = planned(OLD_AND_NEW, "place_carries", &|lowered| {
        let t = made(lowered, "dot", 0);
        let carry = lowered.steps.work(steps_of(lowered, "dot")[0]).reads()[0];
        let (t, carry) = (lowered.steps.shared.root(t), lowered.steps.shared.root(carry));
        lowered.steps.shared.put(t, carry);
    });
    refused(&found, "which it reads in another order");
}

#[test]
fn a_copy_into_a_carry_that_is_left_out_is_refused() {
    let found = planned(OLD_AND_NEW, "in_place", &|lowered| {
        for step in steps_of(lowered, "copy") {
            if let Step::Copy(copy) = lowered.steps.work(step) {
                let (from, to) = (copy.from, copy.to);
                *lowered.steps.work_mut(step) = Step::Rename { from, to };
            }
        }
    });
    refused(&found, "which lies elsewhere");
}

#[test]
fn buffers_that_are_alive_together_in_the_same_bytes_are_refused() {
    let found = planned(READ_LATER, "place_buffers", &|lowered| {
        let (a, b) = (made(lowered, "dot", 0), made(lowered, "fused", 0));
        lowered.placed.places[b] = lowered.placed.places[a];
    });
    refused(&found, "or was written over");
}

/// Store a half of the array elsewhere.
fn moved(by: isize) -> Vec<String> {
    planned(HALVES, "drop_unread", &|lowered| {
        let runs = steps_of(lowered, "fused").into_iter().rev().find_map(|step| {
            let loops = lowered.steps.work(step).loops();
            let output = loops[0].outputs.iter().position(|output| output.runs.is_some())?;
            Some((step, output))
        });
        let (step, output) = runs.expect("a loop stores a half");
        if let Step::Fused(fused) = lowered.steps.work_mut(step)
            && let Some(runs) = &mut fused.outputs[output].runs
        {
            runs.offset += by;
        }
    })
}

#[test]
fn a_piece_of_an_array_in_the_wrong_slot_is_refused() {
    refused(&moved(-64), "is written by two steps");
    refused(&moved(64), "touches bytes");
}
