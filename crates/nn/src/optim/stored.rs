//! What parameters are stored in between steps.
//!
//! ```text
//! wide                    params.W f32                     computed with, and stepped
//! bf16 with a master      params.W bf16, master.W f32      computed with params.W; steps are added to master.W
//! bf16 alone              params.W bf16                    widened, stepped and rounded again
//! ```
//!
//! Gradients, the optimizer's states and its arithmetic are wide in all of them. Rounding is to the nearest, so without
//! a master a step that changes a weight by less than half of its last place (1/512 to 1/256 of it in `bf16`) is lost.

use crate::params::{Params, Specs};
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;

/// The choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stored {
    /// As wide as the optimizer's states.
    Wide,
    /// In this type, with a wide copy that steps are added to, or without.
    Narrow { dtype: DType, has_master: bool },
}

/// Begins the names of wide copies.
pub const MASTER: &str = "master";

impl Stored {
    /// The type of stored parameters, where states have the type `wide`.
    pub fn dtype(self, wide: DType) -> DType {
        match self {
            Stored::Wide => wide,
            Stored::Narrow { dtype, .. } => dtype,
        }
    }

    pub fn has_master(self) -> bool {
        matches!(self, Stored::Narrow { has_master: true, .. })
    }

    /// What steps are added to: wide copies, as states of the step, or the parameters themselves.
    pub fn stepped(self, t: Trace, specs: &Specs, params: &Params, wide: DType) -> Params {
        if self.has_master() { specs.states(t, MASTER, wide) } else { widened(params, wide) }
    }

    /// What is stored of a new value of a parameter, by the names of states.
    pub fn kept(self, name: &str, new: Tensor) -> Vec<(String, Tensor)> {
        let stored = (format!("params.{name}"), new.cast(self.dtype(new.dtype())));
        let master = self.has_master().then(|| (format!("{MASTER}.{name}"), new));
        [stored].into_iter().chain(master).collect()
    }
}

/// Parameters as they are computed with: layers narrow them again, which is exact.
pub fn widened(params: &Params, wide: DType) -> Params {
    params.map(&mut |x| x.cast(wide))
}
