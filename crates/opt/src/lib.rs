//! Passes that make a program smaller or cheaper without changing what it computes. One file per pass.

#![forbid(unsafe_code)]

pub mod batch_indices;
pub mod bound_motion;
pub mod combine_collectives;
pub mod cse;
pub mod dce;
mod device_number;
pub mod effects;
pub mod hoist;
pub mod inline;
pub mod mask_motion;
pub mod pad_motion;
pub mod permute_motion;
pub mod prune;
pub mod reduce_scatter;
pub mod remat;
pub mod schedule;
pub mod simplify;
pub mod slice_motion;
mod uses;

pub use batch_indices::batch_indices;
pub use bound_motion::bound_motion;
pub use combine_collectives::combine_collectives;
pub use cse::cse;
pub use dce::dce;
pub use hoist::hoist;
pub use inline::inline;
pub use mask_motion::mask_motion;
pub use pad_motion::pad_motion;
pub use permute_motion::permute_motion;
pub use prune::prune;
pub use reduce_scatter::reduce_scatter;
pub use remat::{Rematerialized, rematerialize, rematerialize_at_most};
pub use schedule::schedule;
pub use simplify::simplify;
pub use slice_motion::slice_motion;

use meshwright_ir::Module;

/// Whether a pass changed anything.
pub type Changed = bool;

/// The cleanup after partitioning, in order.
///
/// Functions with one caller go into it, so that all else sees one program. What nobody uses goes first, so that no time
/// goes into it; then what moves masks, pads and slices, of which `simplify` makes less, so that one `cse` finds also what
/// that made equal, and `bound_motion` the bounds that are then one. Collectives leave loops before they are merged with
/// others, permutes are joined before they are counted, and `combine_collectives` comes last of those that look at
/// collectives, since it fixes where they stand. What is left is put in the order in which least is alive.
pub fn cleanup(module: &mut Module) {
    if inline(module) {
        prune(module);
    }
    dce(module);
    mask_motion(module);
    pad_motion(module);
    slice_motion(module);
    simplify(module);
    cse(module);
    bound_motion(module);
    if hoist(module) {
        cse(module);
    }
    permute_motion(module);
    reduce_scatter(module);
    combine_collectives(module);
    dce(module);
    schedule(module);
}
