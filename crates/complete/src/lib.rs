//! Completion: from a few annotations to a sharding for every value (GSPMD 3.5).
//!
//! ```text
//! import, copy (functions per call, cheap values per user), propagate, close, merge copies again
//! ```
//!
//! Works on shardings alone: it reads each op's rule and names no op, except where values flow without one (`edges.rs`)
//! and where values are cheap to make again (`remake.rs`). A user's annotation is kept; only open dims are refined; an
//! axis once placed stays. The result does not depend on hashing, addresses or time.
//!
//! Costs a few visits per instruction, whatever the number of devices.

mod agreement;
mod alike;
mod bar;
mod close;
mod codes;
mod conflicts;
mod donated;
mod edges;
mod everywhere;
mod flatten;
mod foreign;
mod import;
mod landmarks;
mod levels;
mod lists;
mod manual;
mod one_mesh;
mod project;
mod propagate;
mod provenance;
mod remake;
mod report;
mod scalar_regions;
mod setup;
mod state;
mod steps;
mod strategy;
#[cfg(test)]
mod tests;
mod ties;
mod walk;
mod why_not;

pub use agreement::{Agreement, Difference, agreement};
pub use everywhere::everywhere;
pub use provenance::Step;
pub use remake::merge_copies;
pub use report::Report;
pub use scalar_regions::without_scalar_shardings;
pub use why_not::{Blocked, Reason};

use meshwright_ground::Diagnostic;
use meshwright_ir::{Module, ShardedModule};
use propagate::Propagator;
use provenance::{Provenance, Trace};
use state::State;

/// Which of the entry's unannotated parameters or results completion may choose the sharding of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Free {
    /// As the module's header says (`allow_spmd_sharding_propagation_to_..`); all where it says nothing.
    #[default]
    AsModule,
    All,
    /// None: they are replicated.
    None,
    /// Those of these numbers; the others are replicated.
    Only(Vec<usize>),
}

/// What completion may be told.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Number of devices; what the module and its meshes say must agree.
    pub devices: Option<i64>,
    pub propagate_to_parameters: Free,
    pub propagate_to_results: Free,
}

/// Give every value a sharding. The module must have passed the verifier.
pub fn complete(mut module: Module, options: &Options) -> Result<(ShardedModule, Report), Vec<Diagnostic>> {
    module.funcs.values_mut().for_each(scalar_regions::forget_annotations);
    let mut landmarks = landmarks::landmarks(&module);
    let import::Imported { mesh, groups, notes } = import::import(&mut module, &landmarks, options)?;
    let copied_functions = flatten::copy_per_call(&mut module, &landmarks);
    if copied_functions > 0 {
        landmarks = landmarks::landmarks(&module);
    }
    let ties = ties::ties(&module, &landmarks, &groups);
    for func in module.funcs.values_mut() {
        remake::copy_per_user(func);
    }
    let (mut state, ports) = setup::slots(&module, &landmarks, &ties);
    let errors = manual::mark(&module, &landmarks, &mut state, &ports);
    if !errors.is_empty() {
        return Err(errors);
    }
    let steps = setup::steps(&module, &mut state, &ports);
    let mut provenance = Provenance::new(&state);
    let sweeps = strategy::run(&mut Propagator::new(&mut state, &steps, &mut provenance));
    let (given, inferred, replicated) = count(&module, &state);
    close::close(&mut module, &landmarks, (&state, &ports), mesh);
    let errors = donated::settle(&mut module);
    if !errors.is_empty() {
        return Err(errors);
    }
    let trace = Trace::new(&module, (state, &ports), steps, provenance);
    let mut conflicts = notes;
    conflicts.extend(conflicts::conflicts(&module, &trace));
    for func in module.funcs.values_mut() {
        remake::merge_copies(func);
    }
    let report = Report { given, inferred, replicated, sweeps, copied_functions, conflicts, trace };
    Ok((ShardedModule::new(module)?, report))
}

/// How many tensors are annotated, got axes, got none.
fn count(module: &Module, state: &State) -> (usize, usize, usize) {
    let (mut given, mut inferred, mut replicated) = (0, 0, 0);
    for (id, func) in module.funcs.iter() {
        for value in func.values().keys().filter(|value| !func.dims(*value).is_empty()) {
            let slot = state.slot(id, value);
            match (func.value(value).sharding.is_some(), state.is_bare(slot)) {
                (true, _) => given += 1,
                (false, false) => inferred += 1,
                (false, true) => replicated += 1,
            }
        }
    }
    (given, inferred, replicated)
}
