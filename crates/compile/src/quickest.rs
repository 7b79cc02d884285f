//! Which plan's program takes least time, where that is the goal.
//!
//! A search adds up what ops and changes of sharding take one by one. It does not see what the machine's compiler makes
//! one loop, what cleanup makes one collective, nor what is on the links while the device computes. So several searches
//! are made, each its program, and its step simulated as `plan` does it; the least decides:
//!
//! ```text
//! fewest bytes
//! least time     as the machine's figures say
//!                if no collective took time to begin or to arrive, as if all went with others
//!                if no op took time to begin either, as if all were in loops with others
//! ```
//!
//! So what comes out is never slower, by the same estimate, than the program of fewest bytes. Costs as many
//! compilations as there are searches.

use crate::{Options, Unobserved, partition_once};
use meshwright_cost::{Coefficient, Machine, step_seconds};
use meshwright_ir::Module;
use meshwright_spmd::Goal;

/// A program of more bytes has to take a smaller share than this of another's time.
const QUICKER: f64 = 0.999;

/// The options by which the program takes least time, if that is the goal; these themselves otherwise, and where no
/// program can be made: then they say why.
pub(crate) fn settled(module: &Module, options: &Options) -> Options {
    if options.partition.goal == Goal::Bytes {
        return options.clone();
    }
    let mut best: Option<(f64, Options)> = None;
    for searched in searches(options) {
        let made = partition_once(module.clone(), &searched, &mut Unobserved);
        let Ok(made) = made else { continue };
        let seconds = step_seconds(made.program.module(), &options.partition.machine);
        if best.as_ref().is_none_or(|(least, _)| seconds < least * QUICKER) {
            best = Some((seconds, searched));
        }
    }
    best.map_or_else(|| options.clone(), |(_, searched)| Options { trust: options.trust, ..searched })
}

/// The searches, that for fewest bytes first.
fn searches(options: &Options) -> [Options; 4] {
    let machine = &options.partition.machine;
    let waiting = [Coefficient::Start, Coefficient::Meeting, Coefficient::Hop, Coefficient::OuterHop];
    let without =
        |all: &[Coefficient]| all.iter().fold(machine.clone(), |machine, of| machine.with(*of, 0.0));
    let beginning = [&waiting[..], &[Coefficient::Launch, Coefficient::Handing]].concat();
    let search = |goal: Goal, compared_on: Option<Machine>| {
        let partition = meshwright_spmd::Options { goal, compared_on, ..options.partition.clone() };
        Options { partition, trust: true, ..options.clone() }
    };
    [
        search(Goal::Bytes, None),
        search(Goal::Seconds, None),
        search(Goal::Seconds, Some(without(&waiting))),
        search(Goal::Seconds, Some(without(&beginning))),
    ]
}
