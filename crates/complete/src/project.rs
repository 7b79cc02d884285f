//! From the axes of a tensor's dims to the axes of a rule's factors, and back: `ir::project`, on interned lists.
//!
//! ```text
//! dim [ij], i=4, j=6, over x=8      =>   i: x:(1)4   j: x:(4)2
//! dim [ij], i=3, j=4, over x=2      =>   nothing: a row of 4 would be cut
//! i: x=4, j: y=2, dim [ij] of 4*6   =>   x, y
//! i: x=2, j: y=2, dim [ij] of 4*6   =>   x             (j's pieces would not be contiguous)
//! ```
//!
//! A dim that is one factor hands its list over as it is, evenly divided or not. In a product the axes go to the
//! factors major first and have to divide them; an uneven axis belongs to the major-most factor if no shard ends inside
//! a row of the others.

use crate::lists::{ListId, Lists};
use meshwright_ir::project::{self, Uneven, ends_with_rows};

/// Axes of each factor of a dim, given its axes. `sizes` are the factors', major first; `put` gets (position, axes) for
/// those that have any.
pub(crate) fn split(lists: &mut Lists, axes: ListId, sizes: &[i64], mut put: impl FnMut(usize, ListId)) {
    if axes.is_empty() {
        return;
    }
    if let [_] = sizes {
        return put(0, axes);
    }
    let list = lists.get(axes).to_vec();
    project::split(sizes, &list, Uneven::Rows, |at, taken| put(at, lists.intern(&taken)));
}

/// Axes of a dim, given those of its factors, major first. Stops where pieces would not be contiguous or even.
pub(crate) fn join(lists: &mut Lists, sizes: &[i64], axes: impl Fn(usize) -> ListId) -> ListId {
    if let [_] = sizes {
        return axes(0);
    }
    let mut joined = ListId::empty();
    for (at, size) in sizes.iter().enumerate() {
        let tiles = lists.tiles(axes(at));
        let even = size % tiles == 0;
        if !even && (at > 0 || !ends_with_rows(tiles, sizes)) {
            break;
        }
        joined = lists.concat(joined, axes(at));
        if tiles != *size {
            break;
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_base::Id;
    use meshwright_shard::{AxisId, AxisRef};

    fn axis(axis: usize, pre: i64, size: i64) -> AxisRef {
        AxisRef { axis: AxisId::from_index(axis), pre, size }
    }

    fn split_of(axes: &[AxisRef], sizes: &[i64]) -> Vec<Vec<AxisRef>> {
        let mut lists = Lists::new();
        let axes = lists.intern(axes);
        let mut out = vec![ListId::empty(); sizes.len()];
        split(&mut lists, axes, sizes, |at, list| out[at] = list);
        out.into_iter().map(|list| lists.get(list).to_vec()).collect()
    }

    #[test]
    fn a_large_axis_is_cut_between_factors() {
        assert_eq!(split_of(&[axis(0, 1, 8)], &[4, 6]), [vec![axis(0, 1, 4)], vec![axis(0, 4, 2)]]);
        assert_eq!(
            split_of(&[axis(0, 1, 2), axis(1, 1, 4)], &[4, 6]),
            [vec![axis(0, 1, 2), axis(1, 1, 2)], vec![axis(1, 2, 2)]]
        );
    }

    #[test]
    fn an_axis_that_would_cut_a_row_belongs_to_no_factor() {
        assert_eq!(split_of(&[axis(0, 1, 2)], &[3, 4]), [vec![], vec![]]);
        assert_eq!(split_of(&[axis(0, 1, 4)], &[7, 2]), [vec![axis(0, 1, 4)], vec![]], "shards of two rows");
    }

    #[test]
    fn a_minor_factor_follows_only_a_used_up_one() {
        let mut lists = Lists::new();
        let (x, y) = (lists.intern(&[axis(0, 1, 4)]), lists.intern(&[axis(1, 1, 2)]));
        let xy = lists.intern(&[axis(0, 1, 4), axis(1, 1, 2)]);
        assert_eq!(join(&mut lists, &[4, 6], |at| [x, y][at]), xy);
        assert_eq!(join(&mut lists, &[8, 6], |at| [x, y][at]), x);
    }
}
