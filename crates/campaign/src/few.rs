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
    use meshwright_cost::program_peak;
    use meshwright_ir::op::ShardingOp;
    use meshwright_ir::{Annotation, Build, Builder, ValueId};
    use meshwright_shard::Sharding;

    #[test]
    fn programs_with_annotated_parameters_hold() {
        let failed: Vec<_> =
            (0..300).filter_map(|number| Some((number, check_few(&case(31, number)).err()?))).collect();
        assert_eq!(failed, []);
    }

    /// Two plain programs for the same module: one computes with whole activations, the other with whole weights.
    ///
    /// With fewer bytes than ours such a program shows that the search missed something, if it computes as little and
    /// takes no more time or memory.
    fn plain(module: &Module) -> [Module; 2] {
        [whole_activations(module), whole_weights(module)]
    }

    /// What nobody annotated is whole on every device.
    fn whole_activations(module: &Module) -> Module {
        let mut module = module.clone();
        let Some(mesh) = module.meshes.keys().next() else { return module };
        for func in module.funcs.values_mut() {
            let open = func
                .values()
                .iter()
                .filter(|(_, info)| info.sharding.is_none() && info.ty.as_tensor().is_some());
            let open: Vec<_> = open.map(|(value, info)| (value, info.ty.rank())).collect();
            let mut editor = Editor::new(func);
            for (value, rank) in open {
                editor.set_sharding(value, Some(Annotation::from(Sharding::replicated(mesh, rank))));
            }
        }
        module
    }

    /// Every parameter but the first, the batch, is gathered before it is used.
    fn whole_weights(module: &Module) -> Module {
        let (mut module, entry) = (module.clone(), module.entry);
        let Some(mesh) = module.meshes.keys().next() else { return module };
        let func = &mut module.funcs[entry];
        let weights = func.param_values().iter().copied().skip(1);
        let weights: Vec<ValueId> = weights.filter(|weight| func.ty(*weight).as_tensor().is_some()).collect();
        let Some(first) = func.block(func.root()).insts.first().copied() else { return module };
        for weight in weights {
            let constraint = Op::Sharding(ShardingOp::Constraint { unspecified: Vec::new() });
            let replicated = Sharding::replicated(mesh, func.ty(weight).rank());
            let whole = Builder::before(func, first).split_as(&replicated).push(constraint, [weight]);
            let made = func.def_inst(whole);
            let mut editor = Editor::new(func);
            editor.map_uses(|value| if value == weight { whole } else { value });
            made.into_iter().for_each(|made| editor.set_operands(made, vec![weight]));
        }
        module
    }

    /// What a program costs each device: bytes sent, flops, seconds, peak.
    fn costs(case: &Case, priorities_alone: bool) -> Option<[f64; 4]> {
        let program = partitioned(case, priorities_alone).ok()?;
        let of = traffic(program.module(), &case.machine.machine());
        Some([of.sent, of.contraction_flops, of.seconds, program_peak(program.module()) as f64])
    }

    /// Whether a plain program sends fewer bytes than ours with no more of anything else.
    fn is_above_the_bound(case: &Case) -> bool {
        let Some(ours) = costs(case, false) else { return false };
        let is_better = |plain: Module| {
            let theirs = costs(&Case { module: plain, ..case.clone() }, true);
            theirs
                .is_some_and(|theirs| theirs[0] < 0.999 * ours[0] && (1..4).all(|at| theirs[at] <= ours[at]))
        };
        plain(&case.module).into_iter().any(is_better)
    }

    /// Plans are searched one op at a time: in a few small programs, none of them with a contraction, that misses what
    /// the plain one does. Most of these exchange pieces of what every device could count or read for itself.
    #[test]
    fn plain_programs_are_rarely_better() {
        let few = |number| {
            let case = case(37, number);
            Some((number, Case { module: parameters_only(&case.module)?, ..case }))
        };
        let cases: Vec<(u64, Case)> = (0..800).filter_map(few).collect();
        let above: Vec<u64> =
            cases.iter().filter(|(_, case)| is_above_the_bound(case)).map(|(number, _)| *number).collect();
        assert!(200 * above.len() <= cases.len(), "{above:?} of {}", cases.len());
    }

    #[test]
    fn a_third_of_the_cases_can_be_put_so() {
        let count = (0..300).filter(|number| parameters_only(&case(31, *number).module).is_some()).count();
        assert!(count >= 100, "{count}");
    }
}
