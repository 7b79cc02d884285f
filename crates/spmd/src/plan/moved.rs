//! Axes that an op cannot take on the dim they are on, taken on another.
//!
//! ```text
//! sort [8, 64] along dim 1, split over x there      =>      split over x along dim 0: an all-to-all, not a gather
//! ```

use crate::axes::tiles;
use crate::plan::candidates::can_split;
use meshwright_ground::Id;
use meshwright_ir::project::FactorAxes;
use meshwright_ir::{FactorId, FactorKind, Op, Rule};
use std::cmp::Reverse;

/// `kept` with what `wished` had beyond it, where that has to stay together, on the largest dims that pass and divide.
/// `None` if nothing was lost so, or no dim takes it.
pub fn moved(op: &Op, rule: &Rule, wished: &FactorAxes, kept: &FactorAxes) -> Option<FactorAxes> {
    let mut axes = kept.clone();
    for (factor, info) in rule.factors.iter() {
        let lost = &wished[factor][kept[factor].len().min(wished[factor].len())..];
        let stays_whole = matches!(info.kind, FactorKind::Permute | FactorKind::Whole);
        if lost.is_empty() || !stays_whole || can_split(op, rule, factor) {
            continue;
        }
        let takes = |other: &FactorId| {
            let size = rule.factors[*other].size;
            size > 0 && size % (tiles(&axes[*other]) * tiles(lost)) == 0
        };
        let best = passing(op, rule).into_iter().filter(takes);
        let best = best.max_by_key(|other| (rule.factors[*other].size, Reverse(other.index())))?;
        axes[best].extend_from_slice(lost);
    }
    (axes != *kept).then_some(axes)
}

/// Factors that pass through, each a dim of its own.
fn passing(op: &Op, rule: &Rule) -> Vec<FactorId> {
    let alone = |factor: FactorId| {
        rule.tensors().flatten().all(|factors| factors.len() == 1 || !factors.contains(&factor))
    };
    let passes = |factor: FactorId| {
        let info = &rule.factors[factor];
        info.kind == FactorKind::Pass && !info.by_hand && alone(factor) && can_split(op, rule, factor)
    };
    rule.factors.keys().filter(|factor| passes(*factor)).collect()
}
