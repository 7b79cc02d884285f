//! Small arithmetic on lists of axes.

use meshwright_base::arrange::Arrange;
use meshwright_shard::{AxisRef, Sharding};

/// Whether any axis of one list shares a part with any of the other.
pub fn any_overlap(a: &[AxisRef], b: &[AxisRef]) -> bool {
    a.iter().any(|a| b.iter().any(|b| a.overlaps(*b)))
}

/// Whether two pieces can split one tensor: of different axes, or of one axis with one wholly inside what the other
/// leaves, so that both are made of the same cuts.
pub fn line_up(a: &AxisRef, b: &AxisRef) -> bool {
    a.lines_up(*b)
}

/// Whether the pieces of both lists can split one tensor together.
pub fn all_line_up(a: &[AxisRef], b: &[AxisRef]) -> bool {
    a.iter().all(|a| b.iter().all(|b| line_up(a, b)))
}

/// Product of sizes.
pub fn tiles(axes: &[AxisRef]) -> i64 {
    axes.iter().map(|axis| axis.size).product()
}

/// Sorted, as partial axes are kept.
pub fn sorted(mut axes: Vec<AxisRef>) -> Vec<AxisRef> {
    axes.arrange();
    axes
}

/// A sharding as plans compare it: closed, without axes of size 1, without what only completion reads.
pub fn planned(sharding: &Sharding) -> Sharding {
    Sharding { replicated: Vec::new(), ..sharding.closed().canonical() }
}
