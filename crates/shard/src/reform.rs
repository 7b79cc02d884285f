//! How a sharding follows its value through transposes, reshapes, and dims that come and go.
//!
//! Reshape works on the row-major index of elements: an evenly split dim reads a digit of it, and so does every dim of
//! the new shape. An axis goes where its digit goes; it is cut where a new dim ends.
//!
//! ```text
//! [8, 6] split x=4 on dim 0  ->  [48]       x=4 on dim 0
//! [48]   split x=4 on dim 0  ->  [2, 24]    x:(1)2 on dim 0, x:(2)2 on dim 1
//! [8, 6] split y=2 on dim 1  ->  [48]       none: every device would hold elements in strides
//! ```

use crate::axis;
use crate::digits::{self, Digit};
use crate::mesh::AxisRef;
use crate::sharding::{DimSharding, Sharding};
use meshwright_base::arrange::Arrange;

impl Sharding {
    /// Dim `i` of the result is dim `permutation[i]` of this. `None` if that is no permutation of the dims.
    pub fn transpose(&self, permutation: &[usize]) -> Option<Sharding> {
        let mut seen = vec![false; self.rank()];
        for dim in permutation {
            if std::mem::replace(seen.get_mut(*dim)?, true) {
                return None;
            }
        }
        let complete = permutation.len() == self.rank();
        let dims = permutation.iter().map(|dim| self.dims[*dim].clone()).collect();
        complete.then(|| Sharding { dims, ..self.clone() })
    }

    /// With an unsplit, closed dim put in before dim `at` (at the end for the rank).
    pub fn insert_dim(&self, at: usize) -> Sharding {
        let mut dims = self.dims.clone();
        dims.insert(at.min(dims.len()), DimSharding::default());
        Sharding { dims, ..self.clone() }
    }

    /// Without the given dims; what split them replicates.
    pub fn remove_dims(&self, removed: &[usize]) -> Sharding {
        let kept = self.dims.iter().enumerate().filter(|(dim, _)| !removed.contains(dim));
        Sharding { dims: kept.map(|(_, dim)| dim.clone()).collect(), ..self.clone() }
    }

    /// Of the value with these dims reversed. `None` if one of them is split: the slices would change places.
    pub fn reverse(&self, reversed: &[usize]) -> Option<Sharding> {
        let whole = |dim: &usize| self.dims.get(*dim).is_some_and(|dim| dim.tiles() == 1);
        reversed.iter().all(whole).then(|| self.clone())
    }

    /// Of the value reshaped from one shape to another, such that no element changes its device. `None` if no list of
    /// axes says that. An unevenly split dim must go to a dim of the same place and size.
    pub fn reshape(&self, from: &[i64], to: &[i64]) -> Option<Sharding> {
        if from.len() != self.rank() {
            return None;
        }
        if from == to {
            return Some(self.clone());
        }
        let (places, targets) = (digits::row_major(from), digits::row_major(to));
        let mut arrived: Vec<Vec<(Digit, AxisRef)>> = vec![Vec::new(); to.len()];
        let mut dims = vec![DimSharding::default(); to.len()];
        for (dim, place) in self.dims.iter().zip(&places).filter(|(dim, _)| dim.tiles() > 1) {
            if let Some(same) = targets.iter().position(|target| target == place && place.size > 1) {
                dims[same] = dim.clone();
            } else {
                move_axes(&dim.axes, *place, &targets, &mut arrived)?;
            }
        }
        for ((dim, target), arrived) in dims.iter_mut().zip(&targets).zip(arrived) {
            if !arrived.is_empty() {
                dim.axes = from_major_end(arrived, *target)?;
            }
        }
        Some(Sharding { dims, ..self.clone() })
    }
}

/// Add to each target dim the pieces of `axes`, which split `place` of the old shape, that belong to it.
fn move_axes(
    axes: &[AxisRef],
    place: Digit,
    targets: &[Digit],
    arrived: &mut [Vec<(Digit, AxisRef)>],
) -> Option<()> {
    if place.size == 0 || place.size % axis::product(axes) != 0 {
        return None;
    }
    let mut end = place.end();
    for axis in axes.iter().filter(|axis| axis.size > 1) {
        let digit = Digit { stride: end / axis.size, size: axis.size };
        end = digit.stride;
        let mut rest = *axis;
        for (target, part) in digits::split(digit, targets)? {
            let (major, minor) = rest.split(part.size)?;
            arrived[target].push((part, major));
            rest = minor;
        }
    }
    Some(())
}

/// The axes of a dim, if together they split it from its major end on without a gap.
fn from_major_end(mut arrived: Vec<(Digit, AxisRef)>, target: Digit) -> Option<Vec<AxisRef>> {
    arrived.arrange_by_key(|(digit, _)| std::cmp::Reverse(digit.stride));
    let mut end = target.end();
    for (digit, _) in &arrived {
        if digit.end() != end {
            return None;
        }
        end = digit.stride;
    }
    Some(axis::canonical(&arrived.into_iter().map(|(_, axis)| axis).collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use crate::testing::{piece, tiled};

    #[test]
    fn merged_dims_keep_the_axes_of_the_major_one_and_split_dims_share_them() {
        let (x, y) = (piece(0, 1, 4), piece(1, 1, 2));
        assert_eq!(tiled(&[&[x], &[]]).reshape(&[8, 6], &[48]), Some(tiled(&[&[x]])));
        assert_eq!(
            tiled(&[&[x]]).reshape(&[48], &[2, 24]),
            Some(tiled(&[&[piece(0, 1, 2)], &[piece(0, 2, 2)]]))
        );
        assert_eq!(tiled(&[&[], &[y]]).reshape(&[8, 6], &[48]), None);
        assert_eq!(tiled(&[&[x], &[y]]).reshape(&[4, 6], &[24]), Some(tiled(&[&[x, y]])));
        assert_eq!(tiled(&[&[x], &[y]]).reshape(&[8, 6], &[48]), None, "y would split inside a shard of x");
    }

    #[test]
    fn dims_that_share_only_their_major_part_still_pass_it_on() {
        let y = piece(1, 1, 2);
        assert_eq!(tiled(&[&[y], &[]]).reshape(&[6, 4], &[8, 3]), Some(tiled(&[&[y], &[]])));
        assert_eq!(tiled(&[&[piece(1, 1, 3)], &[]]).reshape(&[6, 4], &[8, 3]), None);
    }

    #[test]
    fn an_uneven_dim_passes_only_as_itself() {
        let x = piece(0, 1, 4);
        assert_eq!(tiled(&[&[], &[x]]).reshape(&[6, 5], &[2, 3, 5]), Some(tiled(&[&[], &[], &[x]])));
        assert_eq!(tiled(&[&[x], &[]]).reshape(&[6, 5], &[2, 3, 5]), None);
        assert_eq!(tiled(&[&[x], &[]]).reshape(&[0, 5], &[5, 0]), None);
    }

    #[test]
    fn dims_come_go_and_change_places() {
        let (x, y) = (piece(0, 1, 4), piece(1, 1, 2));
        let sharding = tiled(&[&[x], &[y]]);
        assert_eq!(sharding.transpose(&[1, 0]), Some(tiled(&[&[y], &[x]])));
        assert_eq!(sharding.transpose(&[1, 1]), None);
        assert_eq!(sharding.transpose(&[2, 0]), None);
        assert_eq!(sharding.insert_dim(1), tiled(&[&[x], &[], &[y]]));
        assert_eq!(sharding.remove_dims(&[0]), tiled(&[&[y]]));
        assert_eq!(sharding.reverse(&[0]), None);
        assert_eq!(tiled(&[&[x], &[]]).reverse(&[1]), Some(tiled(&[&[x], &[]])));
    }
}
