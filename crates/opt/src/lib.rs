//! Passes that make a program smaller or cheaper without changing what it computes. One file per pass.

#![forbid(unsafe_code)]

pub mod batch_indices;
pub mod bound_motion;
pub mod combine_collectives;
pub mod cse;
pub mod dce;
mod device_number;
pub mod effects;
pub mod fold;
pub mod hoist;
pub mod inline;
pub mod mask_motion;
pub mod pad_motion;
pub mod passes;
pub mod permute_motion;
pub mod prune;
pub mod reduce_scatter;
pub mod remat;
pub mod schedule;
pub mod simplify;
pub mod slice_gathers;
pub mod slice_motion;
pub mod sum_pieces;
pub mod transpose_motion;
mod uses;

pub use batch_indices::batch_indices;
pub use bound_motion::bound_motion;
pub use combine_collectives::combine_collectives;
pub use cse::cse;
pub use dce::dce;
pub use fold::fold;
pub use hoist::hoist;
pub use inline::inline;
pub use mask_motion::mask_motion;
pub use pad_motion::pad_motion;
pub use passes::{PASSES, Pass, cleanup};
pub use permute_motion::permute_motion;
pub use prune::prune;
pub use reduce_scatter::reduce_scatter;
pub use remat::{
    Judged, Rematerialized, rematerialize, rematerialize_at_most, rematerialize_for, rematerialize_judged,
};
pub use schedule::schedule;
pub use simplify::simplify;
pub use slice_gathers::slice_gathers;
pub use slice_motion::slice_motion;
pub use sum_pieces::sum_pieces;
pub use transpose_motion::transpose_motion;

/// Whether a pass changed anything.
pub type Changed = bool;
