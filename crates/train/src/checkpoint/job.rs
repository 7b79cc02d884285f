//! What is asked of a store, and what came of it.

use super::Snapshot;
use meshwright_base::Diagnostic;
use std::path::PathBuf;

/// What is to be done with a checkpoint.
#[derive(Clone, Debug)]
pub enum Job {
    /// All of it.
    Whole(Snapshot),
    /// The pieces of one process, whose first device has this number.
    Share(Snapshot, usize),
    /// Put together what all processes wrote of this step.
    Show(u64),
    /// Remove it.
    Drop(u64),
    /// Remove the oldest beyond those to keep, where an earlier run could not.
    Trim,
}

/// What came of a job.
#[derive(Clone, Debug)]
pub enum Done {
    /// The checkpoint is there, or is not.
    Shown(Result<PathBuf, Diagnostic>),
    Shared(Result<(), Diagnostic>),
    Dropped,
    Trimmed(Result<(), Diagnostic>),
}
