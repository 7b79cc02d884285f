//! What completion did: counts, disagreements between annotations, and where each axis came from.

use crate::decision::Decision;
use crate::provenance::{OriginStep, Trace};
use crate::why_not::Blocked;
use meshwright_base::Diagnostic;
use meshwright_ir::{Dim, FuncId, Module, ValueId};

/// The outcome of completion, beside the sharded module.
#[derive(Clone, Debug)]
pub struct Report {
    /// Tensors of rank 1 and above that carry a user's annotation.
    pub given: usize,
    /// Those that got axes from others.
    pub inferred: usize,
    /// Those that nothing reached: replicated.
    pub replicated: usize,
    /// Sweeps over the program it took.
    pub sweeps: usize,
    /// Functions copied because they are called more than once.
    pub copied_functions: usize,
    /// Places where two annotations pull different ways, as notes; at most [`Report::MOST_CONFLICTS`].
    pub conflicts: Vec<Diagnostic>,
    /// Which annotations spread before all others because the program is better for it, in their order.
    pub decisions: Vec<Decision>,
    pub(crate) trace: Trace,
}

impl Report {
    pub const MOST_CONFLICTS: usize = 50;

    /// How each axis came to a dim of a value, from the value back to the annotation; empty if the dim is not split.
    ///
    /// `module` is the completed module, before any pass changed it.
    pub fn why(&self, module: &Module, func: FuncId, value: ValueId, dim: Dim) -> Vec<OriginStep> {
        self.trace.why(module, func, value, dim)
    }

    /// The decision by cost that axes of a dim go back to, if there is one.
    pub fn decision(&self, func: FuncId, value: ValueId, dim: Dim) -> Option<&Decision> {
        let passed = self.trace.passed(func, value, dim);
        self.decisions.iter().find(|decision| passed.iter().any(|passed| decision.dims.contains(passed)))
    }

    /// What the neighbours of a dim are split over there and the dim is not, and why.
    pub fn why_not(&self, module: &Module, func: FuncId, value: ValueId, dim: Dim) -> Vec<Blocked> {
        self.trace.why_not(module, func, value, dim)
    }

    /// Every annotated axis with the number of dims of values that got it from there.
    pub fn reach(&self, module: &Module) -> Vec<(OriginStep, usize)> {
        self.trace.reach(module)
    }
}
