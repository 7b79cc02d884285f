//! Slots of edges.

use crate::edges::End;
use crate::state::{SlotId, State};
use meshwright_base::IdMap;
use meshwright_ir::{FuncId, InstId};
use std::collections::BTreeMap;

/// Slots that stand for what an edge states, not for a value.
#[derive(Default)]
pub(crate) struct Ports {
    pub results: IdMap<FuncId, Vec<SlotId>>,
    pub inputs: BTreeMap<(FuncId, InstId), Vec<SlotId>>,
}

impl Ports {
    /// The slot of an end of an edge.
    pub(crate) fn slot(&self, state: &State, end: End) -> Option<SlotId> {
        match end {
            End::Value(func, value) => Some(state.slot(func, value)),
            End::Input(func, inst, at) => self.inputs.get(&(func, inst))?.get(at).copied(),
            End::Result(func, at) => self.results.get(func)?.get(at).copied(),
        }
    }
}
