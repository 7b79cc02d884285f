//! Text forms of a module: StableHLO (with Shardy) and HLO, read and written.
//!
//! Every reader takes a [`SourceText`](meshwright_ground::SourceText) and gives a module or all diagnostics it found;
//! every writer gives the same bytes for the same module. No IO here.

pub mod hlo;
pub mod stablehlo;
