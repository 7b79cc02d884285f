//! Boxes of tensors, and what of one lies where in another.

/// A box: where it starts in the whole and how far it goes, per dim.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Region {
    pub start: Vec<usize>,
    pub shape: Vec<usize>,
}

/// Bytes that lie together in both boxes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    pub from: u64,
    pub to: usize,
    pub bytes: usize,
}

/// The number of elements, unless it does not fit.
pub fn volume(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1usize, |all, size| all.checked_mul(*size))
}

impl Region {
    /// All of a tensor.
    pub fn whole(shape: &[usize]) -> Self {
        Region { start: vec![0; shape.len()], shape: shape.to_vec() }
    }

    pub fn volume(&self) -> Option<usize> {
        volume(&self.shape)
    }

    /// Whether the box lies in a tensor of this shape.
    pub fn fits(&self, shape: &[usize]) -> bool {
        let inside = |((start, size), whole): ((&usize, &usize), &usize)| {
            start.checked_add(*size).is_some_and(|end| end <= *whole)
        };
        self.start.len() == shape.len()
            && self.shape.len() == shape.len()
            && self.start.iter().zip(&self.shape).zip(shape).all(inside)
    }

    /// What both hold. `None` if nothing, or if they differ in rank.
    pub fn meet(&self, other: &Region) -> Option<Region> {
        if self.start.len() != other.start.len() {
            return None;
        }
        let start: Vec<usize> = self.start.iter().zip(&other.start).map(|(a, b)| *a.max(b)).collect();
        let end = |region: &Region, dim: usize| region.start[dim] + region.shape[dim];
        let size = |(dim, start): (usize, &usize)| {
            end(self, dim).min(end(other, dim)).checked_sub(*start).filter(|size| *size > 0)
        };
        let shape = start.iter().enumerate().map(size).collect::<Option<_>>()?;
        Some(Region { start, shape })
    }

    /// The place of an element of the whole within this box, row-major.
    fn offset(&self, at: &[usize]) -> usize {
        let dims = at.iter().zip(&self.start).zip(&self.shape);
        dims.fold(0, |offset, ((at, start), size)| offset * size + (at - start))
    }

    /// How the part of `self` that `target` also holds is copied into it, in elements of `width` bytes.
    pub fn runs_into(&self, target: &Region, width: usize) -> Vec<Run> {
        let Some(common) = self.meet(target) else { return Vec::new() };
        let mut runs: Vec<Run> = Vec::new();
        let mut at = common.start.clone();
        let length = common.shape.last().copied().unwrap_or(1);
        loop {
            let run = Run {
                from: (self.offset(&at) * width) as u64,
                to: target.offset(&at) * width,
                bytes: length * width,
            };
            match runs.last_mut() {
                Some(last) if last.from + last.bytes as u64 == run.from && last.to + last.bytes == run.to => {
                    last.bytes += run.bytes;
                }
                _ => runs.push(run),
            }
            if !next_row(&mut at, &common) {
                return runs;
            }
        }
    }
}

/// Moves to the next row of a box; no if it was the last one.
fn next_row(at: &mut [usize], region: &Region) -> bool {
    for dim in (0..at.len().saturating_sub(1)).rev() {
        at[dim] += 1;
        if at[dim] < region.start[dim] + region.shape[dim] {
            return true;
        }
        at[dim] = region.start[dim];
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(start: &[usize], shape: &[usize]) -> Region {
        Region { start: start.to_vec(), shape: shape.to_vec() }
    }

    #[test]
    fn whole_rows_are_one_run_and_columns_are_many() {
        let whole = Region::whole(&[4, 6]);
        assert_eq!(whole.runs_into(&region(&[1, 0], &[2, 6]), 4), [Run { from: 24, to: 0, bytes: 48 }]);
        assert_eq!(
            whole.runs_into(&region(&[1, 2], &[2, 3]), 1),
            [Run { from: 8, to: 0, bytes: 3 }, Run { from: 14, to: 3, bytes: 3 }]
        );
        assert_eq!(Region::whole(&[]).runs_into(&Region::whole(&[]), 8), [Run { from: 0, to: 0, bytes: 8 }]);
        assert_eq!(region(&[0], &[2]).runs_into(&region(&[2], &[2]), 1), []);
        assert_eq!(region(&[0], &[0]).runs_into(&region(&[0], &[3]), 1), []);
    }

    #[test]
    fn boxes_outside_of_the_whole_do_not_fit() {
        assert!(region(&[1, 0], &[3, 6]).fits(&[4, 6]));
        assert!(!region(&[2, 0], &[3, 6]).fits(&[4, 6]));
        assert!(!region(&[usize::MAX], &[2]).fits(&[4]));
        assert!(!region(&[0], &[1]).fits(&[4, 6]));
        assert_eq!(volume(&[usize::MAX, 2]), None);
    }
}
