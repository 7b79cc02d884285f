//! Find the counted loops among `while`s and write them as `scan`. The inverse of [`lower_scan`](crate::lower_scan()).
//!
//! ```text
//! while(%xs, 0, %c, %any) cond { %i < 5 } do { (%xs, %i, %c, %ys):
//!     %x = reshape(dynamic_slice(%xs, %i, 0..)) ..
//!     return %xs, %i + 1, %c1, dynamic_update_slice(%ys, broadcast(%y), %i, 0..)
//! }
//! =>   scan(%c, %xs) trips=5 { (%c, %x): .. return %c1, %y }
//! ```
//!
//! Only what is proved is raised:
//!
//! 1. **Counted.** One scalar integer of the state starts at a constant, gains (or loses) the same constant per trip,
//!    and is compared with a constant that it moves towards; the condition does nothing else.
//! 2. **Stacked inputs.** A value that does not change in the loop and has as many rows as there are trips is read at
//!    row `trip`, or `trips - 1 - trip` everywhere. Other uses of it are allowed: then it is carried as well.
//! 3. **Stacked outputs.** A carried value with as many rows is used only to write one row per trip, at the same place;
//!    what it held before does not matter, as every row is written. Rows read before they are written are rows of the
//!    initial value, so such a value is a stacked input too.
//! 4. The counter stays as an ordinary carried value if anything else needs it; values that do not change and are not
//!    needed any more are dropped.
//!
//! Row numbers are followed through additions, conversions, clamps and the selects that mend negative indices.
//! Reads and writes may stand in a called function of their own, as JAX writes them . A loop of which only
//! the count is proved becomes a scan without stacks.
//!
//! The module must have passed the verifier.
//!
//! Cost: linear in the module; all loops are analysed first, then rewritten, then uses are mapped in one walk.

mod access;
mod apply;
mod count;
mod index;
mod live;
mod plan;
mod uses;

use crate::lower_scan::map_values;
use crate::module::{FuncId, Function, InstId, Module};
use meshwright_base::arrange::map;
use std::collections::{BTreeMap, BTreeSet};

/// Trips of a `while` that provably counts by constant steps to a constant, and runs at all.
pub fn trip_count(module: &Module, func: &Function, inst: InstId) -> Option<i64> {
    count::counted(module, func, func.inst(inst)).map(|counted| counted.trips)
}

/// Loops by where they stand, with the positions in their state of what they read row by row, one row a trip.
pub type RowsRead = BTreeMap<(FuncId, InstId), BTreeSet<usize>>;

/// What the counted loops of a module read row by row.
pub fn rows_read(module: &Module) -> RowsRead {
    let accessors = access::accessors(module);
    let of = |(id, func): (FuncId, &Function)| {
        plan::rows_read(module, func, &accessors).into_iter().map(move |(inst, at)| ((id, inst), at))
    };
    map(module.funcs.iter().flat_map(of))
}

/// Whether a loop was raised.
pub fn raise_scan(module: &mut Module) -> bool {
    let accessors = access::accessors(module);
    let plans: Vec<(FuncId, Vec<plan::ScanPlan>)> =
        module.funcs.iter().map(|(id, func)| (id, plan::plans(module, func, &accessors))).collect();
    let mut raised = false;
    for (id, plans) in plans {
        let func = &mut module.funcs[id];
        let mut replaced = Vec::new();
        for plan in &plans {
            apply::apply(func, plan, &mut replaced);
        }
        map_values(func, &replaced);
        raised |= !plans.is_empty();
    }
    raised
}
