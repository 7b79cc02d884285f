//! Text forms of a module: StableHLO (with Shardy) and HLO, read and written.
//!
//! Every reader takes a [`SourceText`](meshwright_ground::SourceText) and gives a module or all diagnostics it found;
//! every writer gives the same bytes for the same module. No IO here.

pub mod codes;
pub mod float;
pub mod format;
pub mod hlo;
pub mod nearest;
pub mod stablehlo;

pub use format::{Format, parse, recognize};
