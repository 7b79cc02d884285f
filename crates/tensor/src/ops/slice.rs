//! Parts of a tensor by Rust ranges: `x.slice((0..2, .., -1))`, and at computed places.
//!
//! Ranges count from 0; negative ends count from the end, as in NumPy. A single number takes one element and drops the
//! dim. Dims that are not named stay whole.

use crate::codes;
use crate::dims::At;
use crate::ops::shape::reshape_to;
use crate::state::Line;
use crate::tensor::{Tensor, emit, fail, poison};
use meshwright_base::Diagnostic;
use meshwright_ir::Op;
use meshwright_ir::op::{Dynamic, Movement, Slice};
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo};
use std::panic::Location;

/// What is taken of one dim.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |t| {
///     let x = t.input("x", f32, [8, 6]);
///     (x.slice(1..), x.slice((.., 2..4)), x.slice((0, ..3)))
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cutout {
    start: Option<i64>,
    end: Option<i64>,
    drops: bool,
}

impl From<RangeFull> for Cutout {
    fn from(_: RangeFull) -> Cutout {
        Cutout { start: None, end: None, drops: false }
    }
}

macro_rules! integer_cutouts {
    ($($int:ty),*) => {
        $(
            impl From<$int> for Cutout {
                fn from(at: $int) -> Cutout {
                    let at = i64::try_from(at).unwrap_or(i64::MAX);
                    Cutout { start: Some(at), end: None, drops: true }
                }
            }

            impl From<Range<$int>> for Cutout {
                fn from(range: Range<$int>) -> Cutout {
                    let end = |at| Some(i64::try_from(at).unwrap_or(i64::MAX));
                    Cutout { start: end(range.start), end: end(range.end), drops: false }
                }
            }

            impl From<RangeFrom<$int>> for Cutout {
                fn from(range: RangeFrom<$int>) -> Cutout {
                    Cutout { start: i64::try_from(range.start).ok(), end: None, drops: false }
                }
            }

            impl From<RangeTo<$int>> for Cutout {
                fn from(range: RangeTo<$int>) -> Cutout {
                    Cutout { start: None, end: i64::try_from(range.end).ok(), drops: false }
                }
            }

            impl From<RangeInclusive<$int>> for Cutout {
                fn from(range: RangeInclusive<$int>) -> Cutout {
                    let last = i64::try_from(*range.end()).unwrap_or(i64::MAX - 1);
                    let end = if last == -1 { None } else { Some(last.saturating_add(1)) };
                    Cutout { start: i64::try_from(*range.start()).ok(), end, drops: false }
                }
            }
        )*
    };
}
integer_cutouts!(i32, i64, usize);

/// One [`Cutout`] per dim: a range, or a tuple of ranges and numbers.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |t| {
///     let x = t.input("x", f32, [8, 6]);
///     (x.slice(1..), x.slice((.., 2..4)), x.slice((0, ..3)))
/// })?;
/// # Ok::<(), Errors>(())
/// ```
pub trait Cutouts {
    /// The cutouts, dim 0 first.
    fn into_cutouts(self) -> Vec<Cutout>;
}

macro_rules! single_cutouts {
    ($($ty:ty),*) => {
        $(
            impl Cutouts for $ty {
                fn into_cutouts(self) -> Vec<Cutout> {
                    vec![self.into()]
                }
            }
        )*
    };
}
single_cutouts!(
    i32,
    i64,
    usize,
    RangeFull,
    Range<i32>,
    Range<i64>,
    Range<usize>,
    RangeFrom<i32>,
    RangeFrom<i64>
);
single_cutouts!(RangeFrom<usize>, RangeTo<i32>, RangeTo<i64>, RangeTo<usize>);

macro_rules! tuple_cutouts {
    ($($name:ident)*) => {
        impl<$($name: Into<Cutout>),*> Cutouts for ($($name,)*) {
            fn into_cutouts(self) -> Vec<Cutout> {
                #[allow(non_snake_case)]
                let ($($name,)*) = self;
                vec![$($name.into()),*]
            }
        }
    };
}
tuple_cutouts!(A);
tuple_cutouts!(A B);
tuple_cutouts!(A B C);
tuple_cutouts!(A B C D);
tuple_cutouts!(A B C D E);
tuple_cutouts!(A B C D E F);

impl Cutouts for Vec<Cutout> {
    fn into_cutouts(self) -> Vec<Cutout> {
        self
    }
}

impl Cutout {
    /// First element and end in a dim of `size`, if it lies inside.
    fn place(self, size: i64) -> Option<(i64, i64)> {
        let count = |at: i64| if at < 0 { at.checked_add(size) } else { Some(at) };
        let start = count(self.start.unwrap_or(0))?;
        let end = if self.drops { start.checked_add(1)? } else { count(self.end.unwrap_or(size))? };
        (0 <= start && start <= end && end <= size).then_some((start, end))
    }
}

impl std::fmt::Display for Cutout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = |at: Option<i64>| at.map_or(String::new(), |at| at.to_string());
        if self.drops {
            write!(f, "{}", word(self.start))
        } else {
            write!(f, "{}..{}", word(self.start), word(self.end))
        }
    }
}

impl Tensor {
    /// A part of the tensor.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [4, 5, 6]).slice((1..3, .., -1)))?; // f32[2,5]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn slice(self, parts: impl Cutouts) -> Tensor {
        take_parts(self, &parts.into_cutouts(), Location::caller())
    }

    /// A range of one dim.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [4, 5]).slice_dim(-1, 1..3))?; // f32[4,2]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn slice_dim(self, dim: impl Into<At>, part: impl Into<Cutout>) -> Tensor {
        let line = Location::caller();
        let Some(dim) = self.one_dim(dim.into(), line) else { return poison(self.ty(), line) };
        let mut parts = vec![Cutout::from(..); dim];
        parts.push(part.into());
        take_parts(self, &parts, line)
    }

    /// Every `step`-th element of a dim, from the first.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [5]).step_by(2, 0))?; // f32[3]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn step_by(self, step: i64, dim: impl Into<At>) -> Tensor {
        let line = Location::caller();
        let Some(dim) = self.one_dim(dim.into(), line) else { return poison(self.ty(), line) };
        let mut slice = whole(&self.dims());
        slice.stride[dim] = step;
        emit(Op::Movement(Movement::Slice(slice)), &[self], line)
    }

    /// A part of the given sizes that begins at computed places, one integer scalar per dim. A part that would reach
    /// beyond the end is moved back inside.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let at = t.input("at", i32, ());
    ///     t.input("x", f32, [4, 5]).dynamic_slice([at, scalar(i32, 0)], [1, 5])
    /// })?; // f32[1,5]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn dynamic_slice(self, starts: impl AsRef<[Tensor]>, sizes: impl Into<Vec<i64>>) -> Tensor {
        let operands = [&[self][..], starts.as_ref()].concat();
        emit(Op::Dynamic(Dynamic::Slice { sizes: sizes.into() }), &operands, Location::caller())
    }

    /// This tensor with a part replaced, at computed places.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let at = t.input("at", i32, ());
    ///     let cache = t.input("cache", f32, [4, 5]);
    ///     cache.dynamic_update(t.input("new", f32, [1, 5]), [at, scalar(i32, 0)])
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn dynamic_update(self, part: Tensor, starts: impl AsRef<[Tensor]>) -> Tensor {
        let operands = [&[self, part][..], starts.as_ref()].concat();
        emit(Op::Dynamic(Dynamic::UpdateSlice), &operands, Location::caller())
    }
}

fn whole(dims: &[i64]) -> Slice {
    Slice { start: vec![0; dims.len()], limit: dims.to_vec(), stride: vec![1; dims.len()] }
}

/// Elements `start..end` of one dim.
pub(crate) fn window(x: Tensor, dim: usize, start: i64, end: i64, line: Line) -> Tensor {
    let mut slice = whole(&x.dims());
    (slice.start[dim], slice.limit[dim]) = (start, end);
    emit(Op::Movement(Movement::Slice(slice)), &[x], line)
}

fn take_parts(x: Tensor, parts: &[Cutout], line: Line) -> Tensor {
    let dims = x.dims();
    if parts.len() > dims.len() {
        let message = format!("slice speaks of {} dims, {} has {}", parts.len(), x.words(), dims.len());
        return fail(
            x.ty(),
            line,
            &[x],
            Diagnostic::error(codes::DIM, message).help("say at most one range per dim"),
        );
    }
    let mut slice = whole(&dims);
    for (dim, part) in parts.iter().enumerate() {
        let Some((start, end)) = part.place(dims[dim]) else {
            let message = format!("{part} does not lie in dim {dim} of {}", x.words());
            let help = format!("the dim has {} elements; negative ends count from the end", dims[dim]);
            return fail(x.ty(), line, &[x], Diagnostic::error(codes::SHAPE, message).help(help));
        };
        (slice.start[dim], slice.limit[dim]) = (start, end);
    }
    let dropped: Vec<usize> = (0..parts.len()).filter(|dim| parts[*dim].drops).collect();
    let unchanged = slice == whole(&dims);
    let part = if unchanged { x } else { emit(Op::Movement(Movement::Slice(slice)), &[x], line) };
    if dropped.is_empty() {
        return part;
    }
    let kept: Vec<usize> = (0..dims.len()).filter(|dim| !dropped.contains(dim)).collect();
    let (sizes, names) = (part.dims(), x.names());
    let out = reshape_to(part, &kept.iter().map(|dim| sizes[*dim]).collect::<Vec<_>>(), line);
    out.set_names(kept.iter().map(|dim| names.get(*dim).cloned().flatten()).collect());
    out
}
