//! Axes that an op cannot take on the dim they are on, or that spare it no work there, taken on another.
//!
//! ```text
//! sort [8, 64] along dim 1, split over x there      =>      split over x along dim 0: an all-to-all, not a gather
//! gather rows of [2048, 256], rows split over x     =>      columns split over x: no sums of masked rows
//! ```

use crate::axes::tiles;
use meshwright_base::Id;
use meshwright_ir::project::FactorAxes;
use meshwright_ir::{FactorId, FactorKind, Localize, Op, Rule};
use std::cmp::Reverse;

/// `kept` with what `wished` had beyond it, where that has to stay together, on the largest dims that pass and have as
/// many elements, those that divide first. `None` if nothing was lost so, or no dim takes it.
pub fn relocated(op: &Op, rule: &Rule, wished: &FactorAxes, kept: &FactorAxes) -> Option<FactorAxes> {
    let mut changed: Option<FactorAxes> = None;
    for (factor, info) in rule.factors.iter() {
        // A line that can be sorted in pieces is sorted faster in one.
        let gives_all = match info.localize {
            Localize::Merge => true,
            Localize::ByFamily => op.facts().picks_by_index,
            Localize::Plain | Localize::Shift | Localize::Combine | Localize::Never => false,
        };
        let stays = if gives_all { 0 } else { kept[factor].len().min(wished[factor].len()) };
        let lost = &wished[factor][stays..];
        let stays_whole = matches!(info.kind, FactorKind::Permute | FactorKind::Whole);
        if lost.is_empty() || !(stays_whole && !rule.can_split(factor) || gives_all) {
            continue;
        }
        let axes = changed.get_or_insert_with(|| kept.clone());
        axes[factor].truncate(stays);
        let takes = |other: FactorId| {
            let (size, parts) = (rule.factors[other].size, tiles(&axes[other]) * tiles(lost));
            (size > 0 && size >= parts).then_some((size % parts == 0, size, Reverse(other.index()), other))
        };
        let (.., best) = passing(rule).into_iter().filter_map(takes).max()?;
        axes[best].extend_from_slice(lost);
    }
    changed.filter(|axes| axes != kept)
}

/// Factors that pass through, each a dim of its own.
fn passing(rule: &Rule) -> Vec<FactorId> {
    let alone = |factor: FactorId| {
        rule.tensors().flatten().all(|factors| factors.len() == 1 || !factors.contains(&factor))
    };
    let passes = |factor: FactorId| {
        let info = &rule.factors[factor];
        info.kind == FactorKind::Pass && info.localize == Localize::Plain && alone(factor)
    };
    rule.factors.keys().filter(|factor| passes(*factor)).collect()
}
