//! Structured control flow: while, if, case, scan, call, fusion.
//!
//! Regions may use values of the blocks around them (capture); the HLO printer turns captures into explicit state.

use crate::module::FuncId;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Control {
    /// Operands: initial state. Regions: condition, body; both take the state.
    While,
    /// Operand: a pred. Regions: true, false; neither takes parameters.
    If,
    /// Operand: an s32 index, out of range means the last. Regions: the branches, without parameters.
    Case,
    /// A call of a region that takes the operands; `kind` as HLO's `fusion` says it.
    Fusion { kind: FusionKind },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FusionKind {
    Loop,
    Input,
    Output,
    Custom,
}

/// A counted loop with carried values, stacked inputs and stacked outputs.
///
/// Operands: `carries` initial values, then stacked inputs whose dim 0 has size `trips`. The region takes the carried
/// values and one slice of each input (dim 0 removed), and returns the carried values and one slice of each output.
/// Results: final carried values, then stacked outputs. With `reverse` slices are taken from the last to the first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Scan {
    pub trips: i64,
    pub carries: usize,
    pub reverse: bool,
}

/// A call of another function of the module.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Call {
    pub callee: FuncId,
}
