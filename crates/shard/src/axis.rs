//! Pieces of one axis, and ordered lists of pieces.
//!
//! A piece covers the interval from `pre` to `pre * size` of its axis, both measured as products of sizes from the
//! major end. All of the algebra is that of intervals, with division in place of subtraction: an axis of size 8 is cut
//! at 1, 2, 4, 8; its piece `(2)2` covers 2 to 4. Pieces of size 1 cover nothing and never matter.
//!
//! A list is *canonical* when no two neighbours could be written as one piece and none has size 1.

use crate::mesh::{AxisId, AxisRef};
use meshwright_base::arrange::Arrange;

impl AxisRef {
    pub fn whole(axis: AxisId, size: i64) -> AxisRef {
        AxisRef { axis, pre: 1, size }
    }

    /// Product of the sizes up to the end of this piece.
    pub fn end(self) -> i64 {
        self.pre.saturating_mul(self.size)
    }

    /// The piece of `axis` between two cuts, or `None` if there is nothing (or nothing whole) between them.
    pub fn between(axis: AxisId, pre: i64, end: i64) -> Option<AxisRef> {
        (pre > 0 && end > pre && end % pre == 0).then(|| AxisRef { axis, pre, size: end / pre })
    }

    /// Cut into a major part of the given size and the rest: `(2)6` at 2 is `(2)2` and `(4)3`.
    pub fn split(self, major: i64) -> Option<(AxisRef, AxisRef)> {
        if major < 1 || self.size % major != 0 {
            return None;
        }
        let rest = AxisRef { axis: self.axis, pre: self.pre * major, size: self.size / major };
        Some((AxisRef { size: major, ..self }, rest))
    }

    /// Whether the two touch the same part of one axis. Pieces of size 1 overlap nothing.
    pub fn overlaps(self, other: AxisRef) -> bool {
        self.axis == other.axis && self.pre.max(other.pre) < self.end().min(other.end())
    }

    /// Whether one sharding may use both: they touch no common part, and one starts at a multiple of where the other
    /// ends, so that what lies between them is a piece too. `(1)2` and `(3)2` of 6 do not line up. Pieces of size 1
    /// are beside anything.
    pub fn lines_up(self, other: AxisRef) -> bool {
        let (first, second) = if self.pre <= other.pre { (self, other) } else { (other, self) };
        self.axis != other.axis || self.size == 1 || other.size == 1 || second.pre % first.end() == 0
    }

    /// Whether `other` can be cut out of this piece.
    pub fn contains(self, other: AxisRef) -> bool {
        self.axis == other.axis && other.pre % self.pre == 0 && self.end() % other.end() == 0
    }

    /// The piece both contain. `None` if there is none, also where the two overlap without a common cut (`(1)2` and
    /// `(1)3` of 6).
    pub fn intersect(self, other: AxisRef) -> Option<AxisRef> {
        if self.axis != other.axis {
            return None;
        }
        let common = AxisRef::between(self.axis, self.pre.max(other.pre), self.end().min(other.end()))?;
        (self.contains(common) && other.contains(common)).then_some(common)
    }

    /// What is left of this piece on the major and on the minor side of a piece it contains.
    pub fn without(self, inner: AxisRef) -> [Option<AxisRef>; 2] {
        let axis = self.axis;
        [AxisRef::between(axis, self.pre, inner.pre), AxisRef::between(axis, inner.end(), self.end())]
    }

    /// The two as one, if `minor` starts where this ends.
    pub fn join(self, minor: AxisRef) -> Option<AxisRef> {
        (self.axis == minor.axis && self.end() == minor.pre)
            .then(|| AxisRef { size: self.size * minor.size, ..self })
    }

    /// The coarsest pieces, major first, from which both can be put together; `None` if their cuts do not divide each
    /// other or the axes differ.
    pub fn common_refinement(self, other: AxisRef) -> Option<Vec<AxisRef>> {
        if self.axis != other.axis {
            return None;
        }
        let mut cuts = [self.pre, self.end(), other.pre, other.end()];
        cuts.arrange();
        if cuts.windows(2).any(|pair| pair[1] % pair[0] != 0) {
            return None;
        }
        let between = cuts.windows(2).filter_map(|pair| AxisRef::between(self.axis, pair[0], pair[1]));
        Some(between.filter(|piece| self.contains(*piece) || other.contains(*piece)).collect())
    }
}

/// Number of tiles a list of axes makes.
pub fn product(axes: &[AxisRef]) -> i64 {
    axes.iter().fold(1, |product: i64, axis| product.saturating_mul(axis.size))
}

/// The list with neighbours joined and pieces of size 1 left out. The order stays.
pub fn canonical(axes: &[AxisRef]) -> Vec<AxisRef> {
    let mut out: Vec<AxisRef> = Vec::with_capacity(axes.len());
    for axis in axes.iter().filter(|axis| axis.size != 1) {
        let joined = out.last().and_then(|last| last.join(*axis));
        match (out.last_mut(), joined) {
            (Some(last), Some(joined)) => *last = joined,
            _ => out.push(*axis),
        }
    }
    out
}

/// The canonical form of a list whose order has no meaning: sorted by axis, then by place in it.
pub fn canonical_set(axes: &[AxisRef]) -> Vec<AxisRef> {
    let mut sorted = axes.to_vec();
    sorted.arrange();
    canonical(&sorted)
}

/// Whether any piece of one list overlaps any of the other.
pub fn overlap(a: &[AxisRef], b: &[AxisRef]) -> bool {
    a.iter().any(|a| b.iter().any(|b| a.overlaps(*b)))
}

/// Whether one sharding may use the pieces of both lists.
pub fn line_up(a: &[AxisRef], b: &[AxisRef]) -> bool {
    a.iter().all(|a| b.iter().all(|b| a.lines_up(*b)))
}

/// Whether one sharding may use all of these pieces: each lines up with each other.
pub fn all_line_up(pieces: impl IntoIterator<Item = AxisRef>) -> bool {
    let mut pieces: Vec<AxisRef> = pieces.into_iter().filter(|piece| piece.size > 1).collect();
    pieces.arrange();
    pieces.windows(2).all(|pair| pair[0].lines_up(pair[1]))
}

/// What follows `prefix` in `axes`, or `None` if `axes` does not begin with it. `(1)2` is a prefix of `(1)4`.
pub fn strip_prefix(axes: &[AxisRef], prefix: &[AxisRef]) -> Option<Vec<AxisRef>> {
    let (axes, prefix) = (canonical(axes), canonical(prefix));
    let common = common_prefix(&axes, &prefix);
    (common == prefix).then(|| after(&axes, product(&common)))
}

/// Whether `axes` begins with `prefix`: it is the same tiling or a finer one.
pub fn is_prefix(prefix: &[AxisRef], axes: &[AxisRef]) -> bool {
    strip_prefix(axes, prefix).is_some()
}

/// The longest list both begin with, down to pieces of axes: `(1)4` and `(1)6` of 12 share `(1)2`. Canonical.
pub fn common_prefix(a: &[AxisRef], b: &[AxisRef]) -> Vec<AxisRef> {
    let (a, b) = (canonical(a), canonical(b));
    let mut out = Vec::new();
    for (a, b) in a.iter().zip(&b) {
        if a == b {
            out.push(*a);
            continue;
        }
        let shared = gcd(a.size, b.size);
        if a.axis == b.axis && a.pre == b.pre && shared > 1 {
            out.push(AxisRef { size: shared, ..*a });
        }
        break;
    }
    out
}

/// The list without its first pieces, which make `tiles` tiles; the piece where that ends is cut.
fn after(axes: &[AxisRef], mut tiles: i64) -> Vec<AxisRef> {
    let mut out = Vec::new();
    for axis in axes {
        let taken = gcd(axis.size, tiles);
        tiles /= taken;
        out.extend(axis.split(taken).map(|(_, rest)| rest).filter(|rest| rest.size > 1));
    }
    out
}

/// The parts of `axes` that `removed` does not touch, in order. A part that overlaps without a common cut goes whole.
pub fn difference(axes: &[AxisRef], removed: &[AxisRef]) -> Vec<AxisRef> {
    let mut left = canonical(axes);
    for removed in removed {
        left = left.into_iter().flat_map(|axis| minus(axis, *removed)).collect();
    }
    canonical(&left)
}

fn minus(axis: AxisRef, removed: AxisRef) -> Vec<AxisRef> {
    if !axis.overlaps(removed) {
        return vec![axis];
    }
    match axis.intersect(removed) {
        Some(common) => axis.without(common).into_iter().flatten().collect(),
        None => Vec::new(),
    }
}

/// The parts of `axes` that are also in `others`, in the order of `axes`.
pub fn intersection(axes: &[AxisRef], others: &[AxisRef]) -> Vec<AxisRef> {
    let mut out = Vec::new();
    for axis in canonical(axes) {
        let mut parts: Vec<_> = others.iter().filter_map(|other| axis.intersect(*other)).collect();
        parts.arrange();
        out.extend(parts);
    }
    canonical(&out)
}

/// The largest number that divides both; 1 if there is none.
pub fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::piece;

    #[test]
    fn a_piece_is_cut_and_joined_again() {
        let (major, minor) = piece(0, 2, 6).split(2).unwrap();
        assert_eq!((major, minor), (piece(0, 2, 2), piece(0, 4, 3)));
        assert_eq!(major.join(minor), Some(piece(0, 2, 6)));
        assert_eq!(minor.join(major), None);
        assert_eq!(piece(0, 1, 6).split(4), None);
    }

    #[test]
    fn pieces_without_a_common_cut_overlap_but_do_not_intersect() {
        let (half, third) = (piece(0, 1, 2), piece(0, 1, 3));
        assert!(half.overlaps(third));
        assert_eq!(half.intersect(third), None);
        assert_eq!(half.common_refinement(third), None);
        assert!(!piece(0, 1, 1).overlaps(half));
    }

    #[test]
    fn pieces_line_up_where_one_starts_at_a_multiple_of_the_others_end() {
        assert!(piece(0, 1, 2).lines_up(piece(0, 4, 2)) && piece(0, 4, 2).lines_up(piece(0, 1, 2)));
        assert!(!piece(0, 1, 2).lines_up(piece(0, 3, 2)), "2 does not divide 3");
        assert!(!piece(0, 1, 2).lines_up(piece(0, 1, 4)), "they overlap");
        assert!(piece(0, 3, 1).lines_up(piece(0, 1, 2)) && piece(0, 1, 2).lines_up(piece(1, 3, 2)));
        assert!(all_line_up([piece(0, 4, 3), piece(1, 1, 5), piece(0, 1, 2), piece(0, 2, 2)]));
        assert!(!all_line_up([piece(0, 3, 2), piece(1, 1, 5), piece(0, 1, 2)]));
    }

    #[test]
    fn common_refinement_cuts_both_at_the_same_places() {
        let refined = piece(0, 1, 4).common_refinement(piece(0, 2, 4)).unwrap();
        assert_eq!(refined, [piece(0, 1, 2), piece(0, 2, 2), piece(0, 4, 2)]);
        let apart = piece(0, 1, 2).common_refinement(piece(0, 4, 2)).unwrap();
        assert_eq!(apart, [piece(0, 1, 2), piece(0, 4, 2)], "what lies between belongs to neither");
    }

    #[test]
    fn canonical_lists_join_neighbours_and_drop_ones() {
        let list = [piece(0, 1, 2), piece(1, 1, 1), piece(0, 2, 2), piece(2, 1, 3), piece(0, 4, 2)];
        assert_eq!(canonical(&list), [piece(0, 1, 4), piece(2, 1, 3), piece(0, 4, 2)]);
        assert_eq!(canonical_set(&list), [piece(0, 1, 8), piece(2, 1, 3)]);
    }

    #[test]
    fn prefixes_see_pieces_of_axes() {
        let (x, y) = (piece(0, 1, 4), piece(1, 1, 2));
        assert_eq!(strip_prefix(&[x, y], &[piece(0, 1, 2)]), Some(vec![piece(0, 2, 2), y]));
        assert_eq!(strip_prefix(&[x, y], &[x, y]), Some(vec![]));
        assert_eq!(strip_prefix(&[x], &[x, y]), None);
        assert_eq!(strip_prefix(&[x, y], &[y]), None);
        assert_eq!(strip_prefix(&[piece(0, 1, 2), y], &[x]), None, "a piece does not begin with its whole");
        assert!(is_prefix(&[], &[x]));
        assert_eq!(common_prefix(&[piece(0, 1, 4)], &[piece(0, 1, 6)]), [piece(0, 1, 2)]);
    }

    #[test]
    fn difference_and_intersection_keep_the_order_of_the_list() {
        let (x, y) = (piece(0, 1, 8), piece(1, 1, 2));
        assert_eq!(difference(&[y, x], &[piece(0, 2, 2)]), [y, piece(0, 1, 2), piece(0, 4, 2)]);
        assert_eq!(intersection(&[y, x], &[piece(0, 2, 2), y]), [y, piece(0, 2, 2)]);
    }
}
