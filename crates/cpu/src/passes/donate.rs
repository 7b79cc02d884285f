//! Results lie in parameters that were given away and are read no more.
//!
//! ```text
//! parameter %p, last read at step 7;  result %r, begun at step 9        =>        %r lies in %p
//! ```
//!
//! `in_place` has done that where a loop or a copy leads from one to the other; here sizes and lives are all
//! that counts. The first parameter that fits is taken. One walk over results and parameters.

use super::lives::Lives;
use crate::lower::{Kind, Lowered};
use meshwright_kernels::step::BufId;

/// Results without a place of their own take donated parameters that are dead by then.
pub fn donate(lowered: &mut Lowered) {
    let mut lives = Lives::of(lowered);
    for result in roots(lowered, |kind| matches!(kind, Kind::Result(_))) {
        let params = roots(lowered, |kind| matches!(kind, Kind::Input(_)));
        let fits = |param: &BufId| {
            let Kind::Input(index) = lowered.kind(*param) else { return false };
            lowered.may_write(index)
                && lives.last[*param] < lives.first[result]
                && lowered.bytes(*param) == lowered.bytes(result)
                && !holds_result(lowered, *param)
        };
        if let Some(param) = params.into_iter().find(fits) {
            lives.last[param] = lives.last[result];
            lowered.steps.shared.put(result, param);
        }
    }
}

fn roots(lowered: &Lowered, wanted: fn(Kind) -> bool) -> Vec<BufId> {
    let bufs = lowered.steps.bufs.keys();
    bufs.filter(|buf| lowered.steps.shared.root(*buf) == *buf && wanted(lowered.kind(*buf))).collect()
}

/// Whether a result lives in a buffer.
fn holds_result(lowered: &Lowered, root: BufId) -> bool {
    let mut bufs = lowered.steps.bufs.keys();
    bufs.any(|buf| matches!(lowered.kind(buf), Kind::Result(_)) && lowered.steps.shared.root(buf) == root)
}
