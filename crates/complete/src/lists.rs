//! Lists of axes as small numbers: every list that ever splits a dim is kept once and named by a `ListId`.
//!
//! Comparing two splits of a dim is then comparing two numbers, and a value's sharding is one number per dim. A module
//! has a few dozen different lists however many instructions it has. Lists are kept joined: `x:(1)2, x:(2)2` is
//! `x:(1)4`. Axes are those of the mesh a slot says; the lists of different meshes share one table.

use meshwright_base::{Id, IdMap, define_id};
use meshwright_shard::{AxisRef, axis};
use std::collections::BTreeMap;

define_id!(
    /// A list of axes, major first.
    pub(crate) ListId, "list"
);

/// All lists seen so far. Number 0 is the empty list.
#[derive(Clone, Debug)]
pub(crate) struct Lists {
    lists: IdMap<ListId, List>,
    ids: BTreeMap<Box<[AxisRef]>, ListId>,
    pieces: BTreeMap<(ListId, ListId), ListId>,
}

#[derive(Clone, Debug)]
struct List {
    axes: Box<[AxisRef]>,
    mask: u64,
    tiles: i64,
}

/// Which axes a list may touch, as bits; different axes may share a bit, so only "no common bit" is a proof.
pub(crate) type Mask = u64;

impl ListId {
    pub(crate) fn empty() -> Self {
        ListId::from_index(0)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.index() == 0
    }
}

impl Lists {
    pub(crate) fn new() -> Self {
        let mut lists = Lists { lists: IdMap::new(), ids: BTreeMap::new(), pieces: BTreeMap::new() };
        lists.intern(&[]);
        lists
    }

    pub(crate) fn get(&self, list: ListId) -> &[AxisRef] {
        &self.lists[list].axes
    }

    pub(crate) fn mask(&self, list: ListId) -> Mask {
        self.lists[list].mask
    }

    /// Into how many tiles the list splits a dim; saturates.
    pub(crate) fn tiles(&self, list: ListId) -> i64 {
        self.lists[list].tiles
    }

    pub(crate) fn intern(&mut self, axes: &[AxisRef]) -> ListId {
        let axes = axis::canonical(axes);
        if let Some(id) = self.ids.get(axes.as_slice()) {
            return *id;
        }
        let mask = axes.iter().fold(0, |mask, axis| mask | axis_bit(axis));
        let tiles = axis::product(&axes);
        let axes: Box<[AxisRef]> = axes.into();
        let id = self.lists.push(List { axes: axes.clone(), mask, tiles });
        self.ids.insert(axes, id);
        id
    }

    /// The first list followed by the second.
    pub(crate) fn concat(&mut self, first: ListId, second: ListId) -> ListId {
        match (first.is_empty(), second.is_empty()) {
            (_, true) => first,
            (true, _) => second,
            _ => {
                let axes = [self.get(first), self.get(second)].concat();
                self.intern(&axes)
            }
        }
    }

    /// What `long` has after `short`, or `None` if `short` is not how it begins.
    pub(crate) fn after(&mut self, long: ListId, short: ListId) -> Option<ListId> {
        if short.is_empty() {
            return Some(long);
        }
        if long == short {
            return Some(ListId::empty());
        }
        if let Some(rest) = self.pieces.get(&(long, short)) {
            return Some(*rest);
        }
        let rest = axis::strip_prefix(self.get(long), self.get(short))?;
        let rest = self.intern(&rest);
        self.pieces.insert((long, short), rest);
        Some(rest)
    }

    /// Whether `long` begins with `short`.
    pub(crate) fn begins_with(&self, long: ListId, short: ListId) -> bool {
        let (first, other) = (self.get(short).first(), self.get(long).first());
        let start = |axis: &AxisRef| (axis.axis, axis.pre);
        short.is_empty()
            || long == short
            || (first.map(start) == other.map(start) && axis::is_prefix(self.get(short), self.get(long)))
    }

    /// The longest list both begin with.
    pub(crate) fn common(&mut self, a: ListId, b: ListId) -> ListId {
        if self.begins_with(b, a) {
            return a;
        }
        if self.begins_with(a, b) {
            return b;
        }
        let axes = axis::common_prefix(self.get(a), self.get(b));
        self.intern(&axes)
    }

    /// Whether the lists cannot both be used by one sharding.
    pub(crate) fn clash(&self, a: ListId, b: ListId) -> bool {
        self.mask(a) & self.mask(b) != 0 && !axis::line_up(self.get(a), self.get(b))
    }

    /// The longest beginning of `list` that `keep` allows, axis by axis.
    pub(crate) fn while_allowed(&mut self, list: ListId, keep: impl Fn(&AxisRef) -> bool) -> ListId {
        let axes = self.get(list);
        match axes.iter().position(|axis| !keep(axis)) {
            None => list,
            Some(0) => ListId::empty(),
            Some(end) => {
                let kept = axes[..end].to_vec();
                self.intern(&kept)
            }
        }
    }
}

pub(crate) fn axis_bit(axis: &AxisRef) -> Mask {
    1 << (axis.axis.index() % 64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_shard::AxisId;

    fn axis(axis: usize, pre: i64, size: i64) -> AxisRef {
        AxisRef { axis: AxisId::from_index(axis), pre, size }
    }

    #[test]
    fn pieces_of_one_axis_join_and_split_again() {
        let mut lists = Lists::new();
        let major = lists.intern(&[axis(0, 1, 2)]);
        let minor = lists.intern(&[axis(0, 2, 4)]);
        let whole = lists.intern(&[axis(0, 1, 8)]);
        assert_eq!(lists.concat(major, minor), whole);
        assert_eq!(lists.after(whole, major), Some(minor));
        assert_eq!(lists.after(whole, minor), None);
        assert!(lists.clash(whole, minor) && !lists.clash(major, minor));
    }

    #[test]
    fn the_common_beginning_of_two_lists_may_end_inside_an_axis() {
        let mut lists = Lists::new();
        let (x, y, half) = (axis(0, 1, 4), axis(1, 1, 2), axis(0, 1, 2));
        let xy = lists.intern(&[x, y]);
        let half_y = lists.intern(&[half, y]);
        let half = lists.intern(&[half]);
        assert_eq!(lists.common(xy, half_y), half);
        assert!(lists.begins_with(xy, half));
        let yx = lists.intern(&[y, x]);
        assert!(lists.common(xy, yx).is_empty());
    }
}
