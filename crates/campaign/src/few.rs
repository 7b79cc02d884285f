//! Programs that say nothing but how their parameters are split: what cost decides is right, and never sends more than
//! priorities alone.
//!
//! Made from other cases by taking back what they say inside. Where something cannot be taken back (constraints, manual
//! regions, groups) there is no such program.

use crate::check::{Failure, compare, inputs, options};
use crate::generate::Case;
use crate::global::run_spmd;
use crate::panics::caught;
use meshwright_compile::{Options, Unobserved};
use meshwright_cost::traffic;
use meshwright_interp::run_global;
use meshwright_ir::{Editor, Function, Module, Op, SpmdModule};

/// The stage failures here carry.
const STAGE: &str = "few";

/// Hold a case with its parameters annotated alone to what it computes, and to what priorities alone would send.
pub fn check_few(case: &Case) -> Result<(), Failure> {
    let Some(module) = parameters_only(&case.module) else { return Ok(()) };
    let case = Case { module, ..case.clone() };
    caught(|| held(&case))
        .unwrap_or_else(|message| Err(Failure { is_panic: true, ..Failure::new(STAGE, message) }))
}

fn held(case: &Case) -> Result<(), Failure> {
    const AS_MANY: f64 = 1.0 + 1e-9;
    let by_cost = partitioned(case, false)?;
    let alone = partitioned(case, true)?;
    let sent = |program: &SpmdModule| traffic(program.module(), &case.machine.machine()).sent;
    let (ours, most) = (sent(&by_cost), sent(&alone));
    if ours > most * AS_MANY {
        let message =
            format!("cost decided for a program that sends {ours} bytes where priorities alone send {most}");
        return Err(Failure::new(STAGE, message));
    }
    let one = |found| Failure::of(STAGE)(vec![found]);
    let inputs = inputs(case).map_err(one)?;
    let expected = run_global(&case.module, &inputs).map_err(one)?;
    compare(case, &expected, &run_spmd(&by_cost, &inputs).map_err(one)?)
}

fn partitioned(case: &Case, priorities_alone: bool) -> Result<SpmdModule, Failure> {
    let options = Options { partition: options(case), priorities_alone, ..Options::default() };
    let compiled = meshwright_compile::partition(case.module.clone(), &options, &mut Unobserved);
    compiled.map(|compiled| compiled.program).map_err(Failure::of(STAGE))
}

/// The module with annotations on the parameters of its entry alone.
fn parameters_only(module: &Module) -> Option<Module> {
    let says = |func: &Function| {
        func.insts_in_order().iter().any(|inst| matches!(func.inst(*inst).op, Op::Sharding(_)))
    };
    if module.funcs.values().any(says) {
        return None;
    }
    let (mut module, entry) = (module.clone(), module.entry);
    for (id, func) in module.funcs.iter_mut() {
        let kept = if id == entry { func.param_values().to_vec() } else { Vec::new() };
        let values: Vec<_> = func.values().keys().filter(|value| !kept.contains(value)).collect();
        let mut editor = Editor::new(func);
        values.into_iter().for_each(|value| editor.set_sharding(value, None));
        editor.result_info_mut().iter_mut().for_each(|info| info.sharding = None);
    }
    Some(module)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::case;

    #[test]
    fn programs_with_annotated_parameters_hold() {
        let failed: Vec<_> =
            (0..300).filter_map(|number| Some((number, check_few(&case(31, number)).err()?))).collect();
        assert_eq!(failed, []);
    }

    #[test]
    fn a_third_of_the_cases_can_be_put_so() {
        let count = (0..300).filter(|number| parameters_only(&case(31, *number).module).is_some()).count();
        assert!(count >= 100, "{count}");
    }
}
