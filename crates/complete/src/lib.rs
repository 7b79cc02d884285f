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

#![forbid(unsafe_code)]

mod addition;
mod agreement;
mod alike;
mod bar_manual_axes;
mod close;
mod codes;
mod conflicts;
mod decision;
mod donated;
mod draft;
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
mod order;
mod ports;
mod project;
mod propagate;
mod provenance;
mod remake;
mod report;
mod scalar_regions;
mod setup;
mod state;
mod steps;
mod stored;
mod strategy;
#[cfg(test)]
mod tests;
mod ties;
mod walk;
mod why_not;

pub use addition::Addition;
pub use agreement::{Agreement, Difference, agreement};
pub use decision::{Choice, Chosen, Decision};
pub use draft::{Draft, Spread};
pub use everywhere::everywhere;
pub use order::{Claim, Order};
pub use provenance::OriginStep;
pub use remake::merge_copies;
pub use report::Report;
pub use scalar_regions::without_scalar_shardings;
pub use stored::Stored;
pub use why_not::{Blocked, Reason};

use meshwright_base::Diagnostic;
use meshwright_ir::{Module, ShardedModule};

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

/// Give every value a sharding, all annotations of a priority at once. The module must have passed the verifier.
pub fn complete(module: Module, options: &Options) -> Result<(ShardedModule, Report), Vec<Diagnostic>> {
    let draft = Draft::new(module, options)?;
    let spread = draft.spread(&Order::default());
    draft.finish(spread, &[])
}
