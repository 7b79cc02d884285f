//! Random programs, differentiated twice, held against central differences where the numbers can be, and batched.

use crate::batched::check_mask;
use crate::check::{compare, print};
use crate::sweep::derivative;
use meshwright_base::render;
use meshwright_campaign::{Case, case};
use meshwright_interp::{Style, random_inputs, run_global};
use meshwright_ir::op::{Random, UnaryOp};
use meshwright_ir::{Module, Op, retype, verify};

const CASES: u64 = 400;

fn has(module: &Module, is: impl Fn(&Op) -> bool) -> bool {
    module.funcs.values().any(|func| func.insts_in_order().iter().any(|inst| is(&func.inst(*inst).op)))
}

/// Whether slopes are those of the function: programs like to clamp a value by itself, and steps jump.
fn is_smooth(module: &Module) -> bool {
    !has(module, |op| {
        matches!(op, Op::Clamp | Op::Unary(UnaryOp::Sign | UnaryOp::Ceil | UnaryOp::Floor) | Op::Random(_))
    })
}

/// What is wrong with the slopes. Inputs may lie beside a kink, so they are wrong only if others show it too.
fn slopes(module: &Module, first: &Module) -> Option<String> {
    let mut last = None;
    for seed in 5..8 {
        let inputs = random_inputs(module, seed, Style::Natural).ok()?;
        match compare(module, first, &inputs, 1e-4) {
            Ok(_) => return None,
            Err(wrong) => last = Some(wrong),
        }
    }
    last
}

/// What is wrong with a case.
fn wrong(case: &Case) -> Option<String> {
    let (module, is_wide) = match retype::widen(&case.module) {
        Ok(wide) => (wide, true),
        Err(_) => (case.module.clone(), false),
    };
    let shown = |found: &[meshwright_base::Diagnostic]| {
        found.iter().map(|diagnostic| render(diagnostic, None)).collect::<String>()
    };
    let Ok(inputs) = random_inputs(&module, 5, Style::Natural) else { return None };
    let runs = run_global(&module, &inputs).is_ok();
    match derivative(&module) {
        // Maxima over devices and loops of unknown count.
        Err(found) if ["all_reduce", "while"].iter().any(|op| found[0].message.starts_with(op)) => {}
        Err(found) => return Some(shown(&found)),
        Ok(first) => {
            if let Err(found) = verify(&first) {
                return Some(format!("{}\n{}", shown(&found), print(&first)));
            }
            match derivative(&first).map(|second| verify(&second)) {
                Ok(Ok(_)) => {}
                Ok(Err(found)) | Err(found) => return Some(format!("second derivative: {}", shown(&found))),
            }
            let compared = runs && is_wide && is_smooth(&module);
            if let Some(wrong) = compared.then(|| slopes(&module, &first)).flatten() {
                return Some(wrong);
            }
        }
    }
    if runs && is_wide && !has(&module, |op| matches!(op, Op::Random(Random::Rng { .. }))) {
        check_mask(&module, &vec![true; module.main().param_values().len()]);
    }
    None
}

#[test]
fn random_programs_are_differentiated_and_batched() {
    for number in 0..CASES {
        if let Some(wrong) = wrong(&case(7, number)) {
            panic!("case {number}: {wrong}");
        }
    }
}
