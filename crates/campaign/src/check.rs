//! One case, run both ways.
//!
//! ```text
//! verify -> reference -> complete, plan, pad, reshard (verified) -> localize -> cleanup (verified) -> run -> compare
//! ```

use crate::faults::{Fault, Where};
use crate::generate::{Case, Inputs};
use crate::global::run_spmd;
use crate::panics::caught;
use meshwright_base::{Diagnostic, render};
use meshwright_compile::{StopAfter, Unobserved};
use meshwright_cost::Form;
use meshwright_interp::{Style, Tensor, random_inputs, run_global};
use meshwright_ir::{Module, PlannedModule, SpmdModule, verify};
use meshwright_spmd::Loops;
use meshwright_spmd::localize::localize;

/// How far apart the results of approximate cases may be, relatively.
pub const TOLERANCE: f64 = 1e-9;

/// What went wrong with a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Where: `verify`, `reference`, `plan`, `localize`, `cleanup`, `run`, `compare`.
    pub stage: &'static str,
    pub message: String,
    pub is_panic: bool,
}

impl Failure {
    pub(crate) fn new(stage: &'static str, message: impl Into<String>) -> Failure {
        Failure { stage, message: message.into(), is_panic: false }
    }

    /// Diagnostics at a stage as a failure.
    pub(crate) fn of(stage: &'static str) -> impl Fn(Vec<Diagnostic>) -> Failure {
        move |found| {
            Failure::new(stage, found.iter().map(|one| render(one, None)).collect::<String>().trim_end())
        }
    }

    /// What failures of one kind share: the stage and the head of the message without its numbers and types.
    pub fn class(&self) -> String {
        let head = match self.stage {
            "compare" => "results differ",
            _ => {
                let heads = || self.message.lines().filter(|line| line.starts_with("error["));
                let first = heads().find(|line| !line.contains("E0590")).or(heads().next());
                first.or(self.message.lines().next()).unwrap_or("")
            }
        };
        let word = |word: &str| {
            if word.contains(['[', '%']) {
                "_".to_string()
            } else {
                without_numbers(word.trim_end_matches("],"))
            }
        };
        let words: Vec<String> = head.split(' ').map(word).collect();
        format!("{}{}: {}", self.stage, if self.is_panic { " panics" } else { "" }, words.join(" "))
    }
}

/// Every number becomes one `#`.
fn without_numbers(word: &str) -> String {
    let mut out = String::new();
    for c in word.chars() {
        match c.is_ascii_digit() {
            true if out.ends_with('#') => {}
            true => out.push('#'),
            false => out.push(c),
        }
    }
    out
}

/// A case that came out right, with what its plan looks like.
pub struct Passed {
    pub planned: Module,
    /// Instructions of each function that the planner was given; later ones are its own.
    pub given: Vec<usize>,
    /// Whether the fault, if there was one, found a place to be.
    pub was_at_fault: bool,
}

/// Run a case both ways.
pub fn check(case: &Case) -> Result<Passed, Failure> {
    check_with(case, None)
}

/// The same with a fault put into the partitioned program.
pub fn check_with(case: &Case, fault: Option<(&Fault, usize)>) -> Result<Passed, Failure> {
    let mut stage = "verify";
    caught(|| stages(case, fault, &mut stage))
        .unwrap_or_else(|message| Err(Failure { stage, message, is_panic: true }))
}

fn stages(case: &Case, fault: Option<(&Fault, usize)>, stage: &mut &'static str) -> Result<Passed, Failure> {
    if let Some(refused) = case.refused.first() {
        return Err(Failure::new("verify", format!("the generator was refused: {refused}")));
    }
    verify(&case.module).map_err(Failure::of(stage))?;
    *stage = "reference";
    let inputs = inputs(case).map_err(one(stage))?;
    let expected = run_global(&case.module, &inputs).map_err(one(stage))?;
    *stage = "plan";
    let mut planned = plan(case).map_err(Failure::of(stage))?;
    let given = instructions(&case.module, planned.module());
    let mut was_at_fault = mutate(planned.module_mut(), &given, fault, Where::Planned);
    let kept = planned.module().clone();
    let before = counts(planned.module());
    *stage = "localize";
    let mut program = localize(planned, &options(case)).map_err(Failure::of(stage))?;
    was_at_fault |= mutate(program.module_mut(), &before, fault, Where::Local);
    finish(case, &mut program, fault.is_none(), stage)?;
    *stage = "run";
    let results = run_spmd(&program, &inputs).map_err(one(stage))?;
    *stage = "compare";
    compare(case, &expected, &results)?;
    Ok(Passed { planned: kept, given, was_at_fault })
}

/// Clean up, and make it fit if it is short of memory; a program without a fault is verified before and after.
fn finish(
    case: &Case,
    program: &mut SpmdModule,
    verified: bool,
    stage: &mut &'static str,
) -> Result<(), Failure> {
    let check = |program: &SpmdModule, stage| {
        if verified { verify(program.module()).map_err(Failure::of(stage)) } else { Ok(()) }
    };
    check(program, stage)?;
    *stage = "cleanup";
    meshwright_opt::cleanup(program.module_mut());
    check(program, stage)?;
    if let Some(share) = share_of_peak(case.inputs) {
        *stage = "rematerialize";
        let limit = meshwright_cost::program_peak(program.module()) / 10 * share;
        meshwright_opt::rematerialize(program.module_mut(), limit);
        check(program, stage)?;
    }
    Ok(())
}

/// What runs partitioned programs on whole arrays; nothing where it cannot.
pub type Engine<'a> = dyn Fn(&SpmdModule, &[Tensor]) -> Option<Vec<Tensor>> + 'a;

/// Run a case as it is on the interpreter, and partitioned on an engine. What nobody can run or partition has passed.
pub fn check_engine(case: &Case, engine: &Engine<'_>) -> Result<(), Failure> {
    if !case.refused.is_empty() || verify(&case.module).is_err() {
        return Ok(());
    }
    let Ok(inputs) = inputs(case) else { return Ok(()) };
    let Ok(expected) = run_global(&case.module, &inputs) else { return Ok(()) };
    let Ok(program) = partitioned(case) else { return Ok(()) };
    match engine(&program, &inputs) {
        Some(results) => compare(case, &expected, &results),
        None => Ok(()),
    }
}

fn one(stage: &'static str) -> impl Fn(Diagnostic) -> Failure {
    move |found| Failure::of(stage)(vec![found])
}

/// The case's parameters.
pub fn inputs(case: &Case) -> Result<Vec<Tensor>, Diagnostic> {
    match case.inputs {
        Inputs::Small(seed) => random_inputs(&case.module, seed, Style::SmallInts),
        Inputs::Wild(seed) => {
            let literals = crate::inputs::of_module(&case.module, seed);
            Ok(literals.iter().filter_map(Tensor::from_literal).collect())
        }
    }
}

pub(crate) fn options(case: &Case) -> meshwright_spmd::Options {
    meshwright_spmd::Options {
        machine: case.machine.machine(),
        loops: loops(case.inputs),
        ..Default::default()
    }
}

/// Some are planned as if nothing fitted: what can be worked on in pieces is.
fn short_of_memory(inputs: Inputs) -> bool {
    matches!(inputs, Inputs::Wild(seed) if seed % 2 == 1)
}

/// Tenths of its peak that a program short of memory should fit in; what does not fit comes as near as it can.
pub(crate) fn share_of_peak(inputs: Inputs) -> Option<i64> {
    let Inputs::Wild(seed) = inputs else { return None };
    short_of_memory(inputs).then(|| [0, 5, 7, 9][seed as usize / 2 % 4])
}

/// No program here is large enough for loops to pay: some have all that can be, in one form or another.
pub(crate) fn loops(inputs: Inputs) -> Loops {
    match inputs {
        Inputs::Wild(seed) => Form::ALL.get(seed as usize % 6).map_or(Loops::Never, |form| Loops::All(*form)),
        Inputs::Small(_) => Loops::Never,
    }
}

fn plan(case: &Case) -> Result<PlannedModule, Vec<Diagnostic>> {
    let memory_limit = short_of_memory(case.inputs).then_some(0);
    let options =
        meshwright_compile::Options { partition: options(case), memory_limit, ..Default::default() };
    meshwright_compile::plan(case.module.clone(), &options, StopAfter::Reshard, &mut Unobserved)
        .map(|(planned, _)| planned)
}

/// The partitioned program of a case, verified.
pub(crate) fn partitioned(case: &Case) -> Result<SpmdModule, Failure> {
    let planned = plan(case).map_err(Failure::of("plan"))?;
    let mut program = localize(planned, &options(case)).map_err(Failure::of("localize"))?;
    finish(case, &mut program, true, &mut "localize")?;
    Ok(program)
}

/// How many instructions each function of the given module had; functions that completion copied have theirs.
fn instructions(given: &Module, planned: &Module) -> Vec<usize> {
    let known = counts(given);
    planned
        .funcs
        .values()
        .enumerate()
        .map(|(at, func)| known.get(at).copied().unwrap_or(func.inst_count()))
        .collect()
}

fn counts(module: &Module) -> Vec<usize> {
    module.funcs.values().map(|func| func.inst_count()).collect()
}

fn mutate(module: &mut Module, before: &[usize], fault: Option<(&Fault, usize)>, place: Where) -> bool {
    match fault {
        Some((fault, pick)) if fault.place == place => fault.apply(module, before, pick),
        _ => false,
    }
}

/// Whether results are what they should be.
pub(crate) fn compare(case: &Case, expected: &[Tensor], results: &[Tensor]) -> Result<(), Failure> {
    if expected.len() != results.len() {
        let message = format!("{} results instead of {}", results.len(), expected.len());
        return Err(Failure::new("compare", message));
    }
    let relative = if case.exact { 0.0 } else { TOLERANCE };
    for (index, (ours, wanted)) in results.iter().zip(expected).enumerate() {
        if ours.ty() != wanted.ty() {
            let message = format!("result {index} is {} instead of {}", ours.ty(), wanted.ty());
            return Err(Failure::new("compare", message));
        }
        if let Some(at) = ours.first_difference(wanted, relative) {
            let show = |tensor: &Tensor| tensor.get(at).map_or("nothing".to_string(), |x| format!("{x:?}"));
            let message = format!(
                "result {index} ({}) has {} instead of {} at element {at}",
                ours.ty(),
                show(ours),
                show(wanted)
            );
            return Err(Failure::new("compare", message));
        }
    }
    Ok(())
}
