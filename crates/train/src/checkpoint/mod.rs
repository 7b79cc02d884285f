//! Checkpoints: everything a run needs to go on, in a directory that is there whole or not at all.
//!
//! ```text
//! checkpoints/step-00000500/index.json              shapes, pieces, sums, data position, random state, configuration
//! checkpoints/step-00000500/part-00000.safetensors  pieces of tensors, readable by any tool; one or more of
//! each process
//! ```
//!
//! A tensor is stored in pieces, as the devices held it; the index says which box of the whole each is, so any other
//! cut can be read ([`Checkpoint::read`]), and of the bytes only what is needed. Writing goes to a hidden directory, is
//! synced, and renamed: a run killed at any moment leaves the checkpoints it had. Several processes write their pieces
//! into one hidden directory, each with a share of the index, and one of them joins the shares and renames. Every byte
//! is under a checksum, of its piece and of its file. One run writes to a directory at a time, which a lock sees to;
//! readers change nothing, and a checkpoint in use is not removed. Each names the [run](RunId) that wrote it. A run
//! neither removes the checkpoints of another nor adds its own to them.

mod background;
mod boxes;
mod export;
mod finite;
mod index;
mod init;
mod job;
mod list;
mod owner;
mod read;
mod store;

pub use background::Background;
pub use boxes::Region;
pub use export::{Exported, export};
pub(crate) use finite::{bad_numbers, finite, not_finite};
pub use init::{InitReport, Wanted, Weights, are_alike, plan_init};
pub use job::{Done, Job};
pub use list::{Kept, newer, newest, steps, with_newest};
pub use meshwright_runtime::safetensors::Element;
pub use owner::{Origin, OwnedSteps, Owner, RunId};
pub(crate) use owner::{RUN, RUN_BYTES, misplaced};
pub use read::Checkpoint;
pub use store::Store;

pub(crate) use crate::lock::{DISK, LOCKED};

use crate::data::content::Contents;
use crate::data::mixture::Position;
use meshwright_base::{Code, Diagnostic};
use meshwright_runtime::safetensors;
use std::path::Path;

pub(crate) const BROKEN: Code = Code(1201);
pub(crate) const FOREIGN: Code = Code(1202);
pub(crate) const MISMATCH: Code = Code(1204);
pub(crate) const MEMORY: Code = Code(1206);

/// What a tensor is to training: a later run may want the weights alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Role {
    Weight,
    Optimizer,
}

/// A tensor as devices held it. Replicas are stored once: give each region of the whole exactly once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tensor {
    pub name: String,
    pub role: Role,
    pub element: Element,
    pub shape: Vec<usize>,
    pub pieces: Vec<Piece>,
}

/// A box of a tensor, row-major little-endian bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    pub region: Region,
    pub bytes: Vec<u8>,
}

/// What besides tensors makes a run go on as if nothing had been.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    /// The run that wrote it; `None` in checkpoints from before there were run ids.
    pub run: Option<RunId>,
    pub step: u64,
    pub data: Position,
    /// What the files held that batches were made from.
    pub contents: Contents,
    pub random: Vec<u64>,
    /// The configuration, as TOML.
    pub config: String,
}

/// A whole checkpoint in memory, about to be written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Snapshot {
    pub state: State,
    pub tensors: Vec<Tensor>,
}

/// Where and why something on disk is refused.
fn broken(path: &Path, what: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::error(BROKEN, format!("`{}` is damaged: {what}", path.display()))
        .help("take an older checkpoint of the run; nothing was changed")
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(DISK, format!("cannot read `{}`: {error}", path.display()))
        .help("check that the path is a checkpoint directory and may be read")
}

#[cfg(test)]
mod tests;
