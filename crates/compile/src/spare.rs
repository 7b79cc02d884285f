//! Memory that costs little time to spare: values that are kept over the peak are computed or gathered again where the
//! program gets smaller by more than it gets slower.
//!
//! One part of time is worth [`WORTH`] parts of memory: of all programs that rematerialization comes through, the
//! cheapest values first, the one of about the least `seconds^3 * bytes` is kept, and none that takes more than
//! [`MOST_TIME`] longer. Seconds and bytes are those of the machine that the program is for, so this is done only where
//! one is named; what is gathered again is sent again. Costs a simulated step for each value looked at.

use meshwright_cost::Machine;
use meshwright_cost::peak::held_peak;
use meshwright_cost::step_seconds;
use meshwright_ir::{Module, SpmdModule};
use meshwright_opt::{Judged, rematerialize_judged};

/// By how many parts of a hundred memory has to fall for each that time grows.
const WORTH: f64 = 3.0;
/// The share of its time by which a program may grow.
const MOST_TIME: f64 = 1.0 / 16.0;
/// What gains less than this share of memory more is left.
const LEAST_GAIN: f64 = 1.0 / 64.0;
/// Instructions that are looked at, over all that is tried: a program of 4,000 has 100 values looked at.
const MOST_LOOKED_AT: usize = 400_000;

/// What a program takes on its machine.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Takes {
    pub seconds: f64,
    /// Bytes of a device at the peak, as the machine's compiler fuses loops.
    pub bytes: i64,
}

/// What was spared.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spared {
    /// How many values are made again.
    pub values: usize,
    pub before: Takes,
    pub after: Takes,
}

impl Takes {
    pub fn of(module: &Module, machine: &Machine) -> Takes {
        let (seconds, bytes) = (step_seconds(module, machine), held_peak(module, machine.habits()));
        Takes { seconds, bytes }
    }

    /// The logarithm of what is to be least, against a program's; `None` where that takes too long.
    fn weight(&self, first: &Takes) -> Option<f64> {
        let (slower, larger) = (self.seconds / first.seconds, self.bytes as f64 / first.bytes as f64);
        (slower <= 1.0 + MOST_TIME).then(|| WORTH * slower.ln() + larger.ln())
    }
}

/// Spare what is worth it; `None` where nothing is.
pub(crate) fn spare(program: &mut SpmdModule, machine: &Machine) -> Option<Spared> {
    let module = program.module_mut();
    let before = Takes::of(module, machine);
    if before.bytes <= 0 || before.seconds <= 0.0 {
        return None;
    }
    let (mut left, mut least) = (MOST_LOOKED_AT / module.main().inst_count().max(1), 0.0);
    let made = rematerialize_judged(module, &mut |module| {
        let weight = Takes::of(module, machine).weight(&before).filter(|_| left > 0);
        left = left.saturating_sub(1);
        match weight {
            Some(weight) if weight < least - LEAST_GAIN => {
                least = weight;
                Judged::Better
            }
            Some(_) => Judged::NoBetter,
            None => Judged::Last,
        }
    });
    (made.values > 0).then(|| Spared { values: made.values, before, after: Takes::of(module, machine) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_worth_a_third_of_its_share_in_time() {
        let first = Takes { seconds: 1.0, bytes: 1000 };
        let weight = |seconds, bytes| Takes { seconds, bytes }.weight(&first);
        assert!(weight(1.02, 900).is_some_and(|weight| weight < 0.0));
        assert!(weight(1.02, 945).is_some_and(|weight| weight > 0.0));
        assert_eq!(weight(1.07, 500), None, "it takes too long");
        assert_eq!(weight(1.0, 1000), Some(0.0));
    }
}
