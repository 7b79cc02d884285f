//! Passes that make a program smaller or cheaper without changing what it computes. One file per pass.

pub mod combine_collectives;
pub mod cse;
pub mod dce;
pub mod effects;
pub mod hoist;
pub mod permute_motion;
pub mod prune;
pub mod reduce_scatter;
pub mod remat;
pub mod simplify;

pub use combine_collectives::combine_collectives;
pub use cse::cse;
pub use dce::dce;
pub use hoist::hoist;
pub use permute_motion::permute_motion;
pub use prune::prune;
pub use reduce_scatter::reduce_scatter;
pub use remat::{Rematerialized, rematerialize};
pub use simplify::simplify;

use meshwright_ir::Module;

/// Whether a pass changed anything.
pub type Changed = bool;

/// The cleanup after partitioning, in order.
pub fn cleanup(module: &mut Module) {
    dce(module);
    cse(module);
    if hoist(module) {
        cse(module);
    }
    reduce_scatter(module);
    combine_collectives(module);
    dce(module);
}
