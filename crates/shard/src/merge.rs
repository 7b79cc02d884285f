//! Finer and coarser shardings of one value over one mesh.
//!
//! GSPMD (section 3.5) calls two shardings compatible when a third splits every dim at least as both do and puts each
//! device's slice inside both of its old ones. On one mesh that is a statement about axis lists: on every dim one list
//! begins with the other, and no axis ends up on two dims.

use crate::axis;
use crate::mesh::AxisRef;
use crate::sharding::{DimSharding, Sharding};

impl Sharding {
    /// Whether every device's slice lies inside its slice under `coarser`.
    pub fn is_refinement_of(&self, coarser: &Sharding) -> bool {
        self.rank() == coarser.rank()
            && same_kind(self, coarser)
            && self
                .dims
                .iter()
                .zip(&coarser.dims)
                .all(|(fine, coarse)| axis::is_prefix(&coarse.axes, &fine.axes))
    }
}

/// The sharding that refines both, and no more than that; `None` if there is none.
///
/// Both must be partial and manual over the same axes. A dim of the result is open if both are, and has the more urgent
/// priority. An axis that one side declares replicated is not used.
pub fn merge(a: &Sharding, b: &Sharding) -> Option<Sharding> {
    if a.mesh != b.mesh || a.rank() != b.rank() || !same_kind(a, b) {
        return None;
    }
    let dims: Option<Vec<_>> = a.dims.iter().zip(&b.dims).map(|(a, b)| merge_dim(a, b)).collect();
    let replicated: Vec<_> = a.replicated.iter().chain(&b.replicated).copied().collect();
    let merged = Sharding { dims: dims?, replicated: axis::canonical_set(&dedup(replicated)), ..a.clone() };
    axis::all_line_up(merged.all_axes()).then_some(merged)
}

/// The one sharding that two statements about one value both allow, open where both leave it open; `None` if they
/// contradict each other. An open dim may be refined, a closed one may not.
pub fn agree(a: &Sharding, b: &Sharding) -> Option<Sharding> {
    let both = merge(a, b)?;
    let keeps = |stated: &Sharding| {
        let dims = stated.dims.iter().zip(&both.dims);
        dims.into_iter().all(|(stated, dim)| stated.open || axis::is_prefix(&dim.axes, &stated.axes))
    };
    (keeps(a) && keeps(b)).then_some(both)
}

/// The longer of two axis lists that begin alike, or `None` if neither begins with the other.
pub fn merge_axes(a: &[AxisRef], b: &[AxisRef]) -> Option<Vec<AxisRef>> {
    let (a, b) = (axis::canonical(a), axis::canonical(b));
    if axis::is_prefix(&a, &b) {
        Some(b)
    } else if axis::is_prefix(&b, &a) {
        Some(a)
    } else {
        None
    }
}

fn merge_dim(a: &DimSharding, b: &DimSharding) -> Option<DimSharding> {
    let priority = match (a.priority, b.priority) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    Some(DimSharding { axes: merge_axes(&a.axes, &b.axes)?, open: a.open && b.open, priority })
}

fn same_kind(a: &Sharding, b: &Sharding) -> bool {
    let kind = |sharding: &Sharding| {
        let partial = axis::canonical_set(&sharding.partial);
        let reducer = (!partial.is_empty()).then_some(sharding.reducer);
        (partial, reducer, axis::canonical_set(&sharding.manual))
    };
    kind(a) == kind(b)
}

/// The pieces with what an earlier one covers taken out of later ones.
fn dedup(pieces: Vec<AxisRef>) -> Vec<AxisRef> {
    let mut out: Vec<AxisRef> = Vec::new();
    for piece in pieces {
        out.extend(axis::difference(&[piece], &out));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{piece, tiled};

    #[test]
    fn axes_on_different_dims_merge_and_a_longer_list_wins() {
        let (x, y) = (piece(0, 1, 4), piece(1, 1, 2));
        assert_eq!(merge(&tiled(&[&[x], &[]]), &tiled(&[&[], &[y]])), Some(tiled(&[&[x], &[y]])));
        assert_eq!(merge(&tiled(&[&[x]]), &tiled(&[&[x, y]])), Some(tiled(&[&[x, y]])));
        assert_eq!(merge(&tiled(&[&[piece(0, 1, 2)]]), &tiled(&[&[x]])), Some(tiled(&[&[x]])));
    }

    #[test]
    fn conflicting_shardings_do_not_merge() {
        let (x, y) = (piece(0, 1, 4), piece(1, 1, 2));
        assert_eq!(merge(&tiled(&[&[x], &[]]), &tiled(&[&[], &[x]])), None);
        assert_eq!(merge(&tiled(&[&[x]]), &tiled(&[&[y]])), None);
        assert_eq!(merge(&tiled(&[&[x, y]]), &tiled(&[&[y, x]])), None);
        let kept = Sharding { replicated: vec![y], ..tiled(&[&[x]]) };
        assert_eq!(merge(&kept, &tiled(&[&[x, y]])), None);
        let partial = Sharding { partial: vec![y], ..tiled(&[&[x]]) };
        assert_eq!(merge(&partial, &tiled(&[&[x]])), None);
    }

    #[test]
    fn statements_agree_if_only_open_dims_are_refined() {
        let (x, y) = (piece(0, 1, 4), piece(1, 1, 2));
        let open = |dims: &[&[AxisRef]]| {
            let mut sharding = tiled(dims);
            sharding.dims.iter_mut().for_each(|dim| dim.open = true);
            sharding
        };
        assert_eq!(agree(&tiled(&[&[x], &[]]), &tiled(&[&[], &[y]])), None);
        assert_eq!(agree(&open(&[&[x], &[]]), &open(&[&[], &[y]])), Some(open(&[&[x], &[y]])));
        assert_eq!(agree(&tiled(&[&[x], &[y]]), &open(&[&[x], &[]])), Some(tiled(&[&[x], &[y]])));
        assert_eq!(agree(&tiled(&[&[x]]), &open(&[&[x, y]])), None);
    }

    #[test]
    fn refinement_is_a_longer_list_on_every_dim() {
        let (x, y) = (piece(0, 1, 4), piece(1, 1, 2));
        assert!(tiled(&[&[x, y], &[]]).is_refinement_of(&tiled(&[&[piece(0, 1, 2)], &[]])));
        assert!(!tiled(&[&[x], &[]]).is_refinement_of(&tiled(&[&[x], &[y]])));
        assert!(!tiled(&[&[x]]).is_refinement_of(&tiled(&[&[y]])));
    }
}
