//! How an array's elements lie in a buffer: sizes, strides and a start, in elements.
//!
//! Transposes, broadcasts, slices and reversals only change a view; nothing moves until a kernel needs other strides.

/// A strided view.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    pub dims: Vec<usize>,
    pub strides: Vec<isize>,
    pub offset: isize,
}

/// Row-major strides.
pub fn row_major(dims: &[usize]) -> Vec<isize> {
    let mut strides = vec![1; dims.len()];
    for d in (0..dims.len().saturating_sub(1)).rev() {
        strides[d] = strides[d + 1] * dims[d + 1] as isize;
    }
    strides
}

pub fn sizes(dims: &[i64]) -> Vec<usize> {
    dims.iter().map(|dim| usize::try_from(*dim).unwrap_or(0)).collect()
}

impl View {
    pub fn dense(dims: &[usize]) -> View {
        View { dims: dims.to_vec(), strides: row_major(dims), offset: 0 }
    }

    pub fn count(&self) -> usize {
        self.dims.iter().product()
    }

    /// Whether elements lie one after another from the start of the buffer.
    pub fn is_dense(&self) -> bool {
        self.offset == 0 && self.is_contiguous()
    }

    /// Whether elements lie one after another.
    pub fn is_contiguous(&self) -> bool {
        let mut step = 1;
        for (size, stride) in self.dims.iter().zip(&self.strides).rev() {
            if *size != 1 && *stride != step {
                return false;
            }
            step *= *size as isize;
        }
        true
    }

    pub fn transpose(&self, permutation: &[usize]) -> View {
        View {
            dims: permutation.iter().map(|d| self.dims[*d]).collect(),
            strides: permutation.iter().map(|d| self.strides[*d]).collect(),
            offset: self.offset,
        }
    }

    /// Operand dim `i` becomes dim `dims[i]` of `shape`; others and stretched ones have stride 0.
    pub fn broadcast(&self, dims: &[usize], shape: &[usize]) -> View {
        let mut strides = vec![0; shape.len()];
        for (own, to) in dims.iter().enumerate() {
            strides[*to] = if self.dims[own] == 1 { 0 } else { self.strides[own] };
        }
        View { dims: shape.to_vec(), strides, offset: self.offset }
    }

    pub fn slice(&self, start: &[usize], sizes: &[usize], step: &[usize]) -> View {
        let shift: isize = start.iter().zip(&self.strides).map(|(at, stride)| *at as isize * stride).sum();
        View {
            dims: sizes.to_vec(),
            strides: self.strides.iter().zip(step).map(|(stride, step)| stride * *step as isize).collect(),
            offset: self.offset + shift,
        }
    }

    pub fn reverse(&self, dims: &[usize]) -> View {
        let mut view = self.clone();
        for d in dims {
            view.offset += view.strides[*d] * (view.dims[*d] as isize - 1).max(0);
            view.strides[*d] = -view.strides[*d];
        }
        view
    }

    /// The same elements in order under another shape, if strides can say it.
    pub fn reshape(&self, shape: &[usize]) -> Option<View> {
        if self.count() == 0 {
            return Some(View { dims: shape.to_vec(), strides: row_major(shape), offset: 0 });
        }
        let merged = self.collapsed();
        let mut strides = vec![0; shape.len()];
        let (mut from, mut left) = (merged.dims.len(), 1);
        let mut stride = 0;
        for d in (0..shape.len()).rev() {
            if shape[d] == 1 {
                continue;
            }
            if left == 1 {
                from = from.checked_sub(1)?;
                (left, stride) = (merged.dims[from], merged.strides[from]);
            }
            if left % shape[d] != 0 {
                return None;
            }
            strides[d] = stride;
            stride *= shape[d] as isize;
            left /= shape[d];
        }
        Some(View { dims: shape.to_vec(), strides, offset: self.offset })
    }

    /// Dims of size 1 dropped, neighbours joined where one stride walks both.
    pub fn collapsed(&self) -> View {
        let mut out = View { dims: Vec::new(), strides: Vec::new(), offset: self.offset };
        for (size, stride) in self.dims.iter().zip(&self.strides) {
            if *size == 1 {
                continue;
            }
            match (out.dims.last_mut(), out.strides.last_mut()) {
                (Some(last), Some(own)) if *own == *stride * *size as isize => {
                    *last *= size;
                    *own = *stride;
                }
                _ => {
                    out.dims.push(*size);
                    out.strides.push(*stride);
                }
            }
        }
        out
    }

    /// Whether a [`Walk`] can count dims of so many sizes.
    pub fn is_walkable(dims: &[usize]) -> bool {
        dims.len() <= MAX_RANK && dims.iter().all(|dim| u32::try_from(*dim).is_ok())
    }

    /// Lowest and highest element a view touches, both included; `None` if none.
    #[cfg(test)]
    pub fn extent(&self) -> Option<(isize, isize)> {
        if self.count() == 0 {
            return None;
        }
        let ends = self.dims.iter().zip(&self.strides).map(|(n, s)| (*n as isize - 1) * s);
        let (mut low, mut high) = (self.offset, self.offset);
        ends.for_each(|end| if end < 0 { low += end } else { high += end });
        Some((low, high))
    }
}

/// Join dims of several views of the same shape where all of them allow it; dims of size 1 are dropped.
pub fn collapse_together(dims: &[usize], strides: &[&[isize]]) -> (Vec<usize>, Vec<Vec<isize>>) {
    let mut sizes: Vec<usize> = Vec::new();
    let mut out: Vec<Vec<isize>> = vec![Vec::new(); strides.len()];
    for d in 0..dims.len() {
        if dims[d] == 1 {
            continue;
        }
        let joins = !sizes.is_empty()
            && out.iter().zip(strides).all(|(out, own)| out.last() == Some(&(own[d] * dims[d] as isize)));
        if joins {
            *sizes.last_mut().expect("not empty") *= dims[d];
            out.iter_mut().zip(strides).for_each(|(out, own)| *out.last_mut().expect("not empty") = own[d]);
        } else {
            sizes.push(dims[d]);
            out.iter_mut().zip(strides).for_each(|(out, own)| out.push(own[d]));
        }
    }
    (sizes, out)
}

/// Walks places of a view in row-major order, from any place.
#[derive(Clone, Debug)]
pub struct Walk {
    pub at: isize,
    index: [u32; MAX_RANK],
}

/// Collapsed views of more dims are not walked.
pub const MAX_RANK: usize = 12;

impl Walk {
    pub fn new(dims: &[usize], strides: &[isize], start: usize) -> Walk {
        let mut walk = Walk { at: 0, index: [0; MAX_RANK] };
        let mut rest = start;
        for d in (0..dims.len()).rev() {
            let at = rest % dims[d].max(1);
            rest /= dims[d].max(1);
            walk.index[d] = at as u32;
            walk.at += at as isize * strides[d];
        }
        walk
    }

    /// Elements left in the innermost dim from here.
    #[inline]
    pub fn left(&self, dims: &[usize]) -> usize {
        match dims.len() {
            0 => 1,
            rank => dims[rank - 1] - self.index[rank - 1] as usize,
        }
    }

    /// Go on by `count` elements, at most what is left in the innermost dim.
    #[inline]
    pub fn advance(&mut self, dims: &[usize], strides: &[isize], count: usize) {
        let mut step = count;
        for d in (0..dims.len()).rev() {
            self.index[d] += step as u32;
            self.at += step as isize * strides[d];
            if (self.index[d] as usize) < dims[d] {
                return;
            }
            self.at -= dims[d] as isize * strides[d];
            self.index[d] = 0;
            step = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reshape_keeps_strides_where_it_can() {
        let view = View::dense(&[4, 6]).transpose(&[1, 0]);
        assert_eq!(view.reshape(&[6, 2, 2]).unwrap().strides, [1, 12, 6]);
        assert_eq!(view.reshape(&[24]), None);
        let stretched = View::dense(&[3]).broadcast(&[1], &[2, 3]);
        assert_eq!(stretched.reshape(&[2, 1, 3]).unwrap().strides, [0, 0, 1]);
    }

    #[test]
    fn a_walk_visits_what_the_view_names() {
        let view = View::dense(&[2, 3]).transpose(&[1, 0]);
        let mut walk = Walk::new(&view.dims, &view.strides, 1);
        let mut seen = Vec::new();
        for _ in 1..6 {
            seen.push(walk.at);
            walk.advance(&view.dims, &view.strides, 1);
        }
        assert_eq!(seen, [3, 1, 4, 2, 5]);
        assert_eq!(view.extent(), Some((0, 5)));
    }

    #[test]
    fn views_are_collapsed_together() {
        let (a, b) = (vec![12, 4, 1], vec![0, 4, 1]);
        let (dims, strides) = collapse_together(&[2, 3, 4], &[&a, &b]);
        assert_eq!((dims, strides), (vec![2, 12], vec![vec![12, 1], vec![0, 1]]));
    }
}
