//! Other shapes of the same elements: broadcast, reshape, transpose and what is made of them.

use crate::codes;
use crate::dims::{At, AtDims, Name, Shape};
use crate::state::Line;
use crate::tensor::{Tensor, emit, fail, report};
use meshwright_base::Diagnostic;
use meshwright_ir::{Op, op};
use op::{Broadcast, Movement, Reshape, Transpose};
use std::panic::Location;

/// `broadcast_in_dim`: operand dim `i` becomes dim `at[i]`. Nothing is added if nothing changes.
pub(crate) fn broadcast_in(x: Tensor, dims: &[i64], at: &[usize], line: Line) -> Tensor {
    if x.dims() == dims {
        return x;
    }
    let op = Broadcast { dims: at.to_vec(), shape: dims.to_vec() };
    emit(Op::Movement(Movement::Broadcast(op)), &[x], line)
}

/// Shape to which both broadcast: dims are paired from the last, and a dim of size 1 stretches.
pub(crate) fn common_shape(a: &[i64], b: &[i64]) -> Option<Vec<i64>> {
    let rank = a.len().max(b.len());
    let size = |dims: &[i64], at: usize| (at + dims.len()).checked_sub(rank).map_or(1, |dim| dims[dim]);
    let one = |at: usize| match (size(a, at), size(b, at)) {
        (x, y) if x == y => Some(x),
        (1, y) => Some(y),
        (x, 1) => Some(x),
        _ => None,
    };
    (0..rank).map(one).collect()
}

/// Broadcast to a shape whose last dims are this tensor's.
pub(crate) fn stretch(x: Tensor, dims: &[i64], line: Line) -> Tensor {
    let at: Vec<usize> = (dims.len() - x.rank()..dims.len()).collect();
    broadcast_in(x, dims, &at, line)
}

/// Both in one shape, or a report.
pub(crate) fn broadcast_pair(name: &str, a: Tensor, b: Tensor, line: Line) -> (Tensor, Tensor) {
    let (left, right) = (a.dims(), b.dims());
    if left == right {
        return (a, b);
    }
    if let Some(dims) = common_shape(&left, &right) {
        return (stretch(a, &dims, line), stretch(b, &dims, line));
    }
    let longer = if left.len() >= right.len() { a } else { b };
    if !a.is_poisoned() && !b.is_poisoned() {
        report(line, unequal(name, a, b));
    }
    let stand_in = |x: Tensor| crate::tensor::poison(longer.ty().with_dtype(x.dtype()), line);
    if longer.entry == a.entry { (a, stand_in(b)) } else { (stand_in(a), b) }
}

fn unequal(name: &str, a: Tensor, b: Tensor) -> Diagnostic {
    let (left, right) = (a.dims(), b.dims());
    let rank = left.len().min(right.len());
    let differ = (1..=rank).find(|from_end| {
        let (x, y) = (left[left.len() - from_end], right[right.len() - from_end]);
        x != y && x != 1 && y != 1
    });
    let message = format!("{name} of {} and {}: the shapes do not fit", a.words(), b.words());
    let mut diagnostic = Diagnostic::error(codes::SHAPE, message);
    if let Some(from_end) = differ {
        let (at, to) = (left.len() - from_end, right.len() - from_end);
        diagnostic = diagnostic.note(format!(
            "dim {at} on the left has {} elements, dim {to} on the right {}",
            left[at], right[to]
        ));
    }
    diagnostic.help("dims are paired from the last one, and must be equal or 1; `unsqueeze` adds a dim of 1")
}

impl Tensor {
    /// The same tensor in a larger shape: dims are paired from the last, a dim of size 1 stretches.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [3]).broadcast_to([2, 3]))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn broadcast_to(self, shape: impl Shape) -> Tensor {
        let line = Location::caller();
        let (dims, names) = shape.into_shape();
        let fits = common_shape(&self.dims(), &dims).as_ref() == Some(&dims);
        if !fits {
            let message = format!("{} does not broadcast to {dims:?}", self.words());
            let help = "dims are paired from the last one; only a dim of size 1 can stretch";
            let diagnostic = Diagnostic::error(codes::SHAPE, message).help(help);
            return fail(self.ty().with_dims(dims), line, &[self], diagnostic);
        }
        named(stretch(self, &dims, line), names)
    }

    /// `broadcast_in_dim`: dim `i` becomes dim `at[i]` of the shape, in any order; a dim of size 1 stretches.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [3]).broadcast_in_dim([3, 2], [0]))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn broadcast_in_dim(self, shape: impl Shape, at: impl Into<Vec<usize>>) -> Tensor {
        let line = Location::caller();
        let (dims, names) = shape.into_shape();
        let op = Op::Movement(Movement::Broadcast(Broadcast { dims: at.into(), shape: dims }));
        named(emit(op, &[self], line), names)
    }

    /// The same elements in row-major order in another shape. One dim may be -1: what is left.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 6]).reshape([4, -1]))?; // f32[4,3]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn reshape(self, shape: impl Shape) -> Tensor {
        let line = Location::caller();
        let (mut dims, names) = shape.into_shape();
        let elements = self.elements();
        if let Some(open) = dims.iter().position(|size| *size == -1) {
            let rest: i64 =
                dims.iter().filter(|size| **size != -1).fold(1, |n: i64, size| n.saturating_mul(*size));
            dims[open] = if rest > 0 && elements % rest == 0 { elements / rest } else { -1 };
        }
        let ty = self.ty().with_dims(dims.clone());
        if dims.iter().any(|size| *size < 0) || ty.elements() != elements {
            let message = format!("{} cannot be reshaped to {dims:?}", self.words());
            let note = format!("it has {elements} elements");
            let help = "the sizes of the new dims must multiply to that; one of them may be -1";
            let diagnostic = Diagnostic::error(codes::SHAPE, message).note(note).help(help);
            return fail(ty, line, &[self], diagnostic);
        }
        named(reshape_to(self, &dims, line), names)
    }

    /// Dims in another order: dim `i` of the result is dim `order[i]` of this tensor.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 3, 4]).transpose([2, 0, 1]))?; // f32[4,2,3]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn transpose<A: Into<At>, const N: usize>(self, order: [A; N]) -> Tensor {
        let line = Location::caller();
        let mut permutation = Vec::new();
        for at in order {
            match self.one_dim(at.into(), line) {
                Some(dim) => permutation.push(dim),
                None => return crate::tensor::poison(self.ty(), line),
            }
        }
        permute(self, permutation, line)
    }

    /// The last two dims swapped.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 3, 4]).t())?; // f32[2,4,3]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn t(self) -> Tensor {
        self.swap_dims(-1, -2)
    }

    /// Two dims swapped.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 3, 4]).swap_dims(0, 2))?; // f32[4,3,2]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn swap_dims(self, a: impl Into<At>, b: impl Into<At>) -> Tensor {
        let line = Location::caller();
        let (Some(a), Some(b)) = (self.one_dim(a.into(), line), self.one_dim(b.into(), line)) else {
            return crate::tensor::poison(self.ty(), line);
        };
        let mut permutation: Vec<usize> = (0..self.rank()).collect();
        permutation.swap(a, b);
        permute(self, permutation, line)
    }

    /// One dim moved to another place; the others keep their order.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 3, 4]).move_dim(0, -1))?; // f32[3,4,2]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn move_dim(self, from: impl Into<At>, to: impl Into<At>) -> Tensor {
        let line = Location::caller();
        let (Some(from), Some(to)) = (self.one_dim(from.into(), line), self.one_dim(to.into(), line)) else {
            return crate::tensor::poison(self.ty(), line);
        };
        let mut permutation: Vec<usize> = (0..self.rank()).filter(|dim| *dim != from).collect();
        permutation.insert(to, from);
        permute(self, permutation, line)
    }

    /// A new dim of size 1 before dim `at`; `-1` puts it last.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 3]).unsqueeze(1))?; // f32[2,1,3]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn unsqueeze(self, at: i64) -> Tensor {
        let line = Location::caller();
        let rank = self.rank() as i64;
        if !(-rank - 1..=rank).contains(&at) {
            let message = format!("a new dim cannot be dim {at} of {}", self.words());
            let help = format!("use 0 to {rank}, or -{} to -1 from the end", rank + 1);
            let diagnostic = Diagnostic::error(codes::DIM, message).help(help);
            return fail(self.ty(), line, &[self], diagnostic);
        }
        let at = at.rem_euclid(rank + 1) as usize;
        let (mut dims, mut names) = (self.dims(), self.names());
        dims.insert(at, 1);
        names.insert(at, None);
        named(reshape_to(self, &dims, line), names)
    }

    /// Without these dims, which must have size 1; `..` drops every dim of size 1.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 1, 3]).squeeze(1))?; // f32[2,3]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn squeeze(self, dims: impl Into<AtDims>) -> Tensor {
        let line = Location::caller();
        let sizes = self.dims();
        let dropped = match dims.into() {
            AtDims::All => Some((0..sizes.len()).filter(|dim| sizes[*dim] == 1).collect()),
            these => self.some_dims(these, line),
        };
        let Some(dropped) = dropped else { return crate::tensor::poison(self.ty(), line) };
        if let Some(dim) = dropped.iter().find(|dim| sizes[**dim] != 1) {
            let message =
                format!("dim {dim} of {} cannot be dropped: it has {} elements", self.words(), sizes[*dim]);
            let help = "only a dim of size 1 can be dropped; reduce or slice it first";
            let diagnostic = Diagnostic::error(codes::SHAPE, message).help(help);
            return fail(self.ty(), line, &[self], diagnostic);
        }
        let names = self.names();
        let kept: Vec<usize> = (0..sizes.len()).filter(|dim| !dropped.contains(dim)).collect();
        let dims: Vec<i64> = kept.iter().map(|dim| sizes[*dim]).collect();
        let names: Vec<Name> = kept.iter().map(|dim| names.get(*dim).cloned().flatten()).collect();
        named(reshape_to(self, &dims, line), names)
    }

    /// All elements in one dim.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 3]).flatten())?; // f32[6]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn flatten(self) -> Tensor {
        self.reshape([-1])
    }

    /// The elements in the opposite order along these dims.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 3]).flip(0))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn flip(self, dims: impl Into<AtDims>) -> Tensor {
        let line = Location::caller();
        match self.some_dims(dims.into(), line) {
            Some(dims) => emit(Op::Movement(Movement::Reverse(op::Reverse { dims })), &[self], line),
            None => crate::tensor::poison(self.ty(), line),
        }
    }

    /// The same tensor with names for its dims, as messages and [`Rules`](crate::Rules) see them. `""` leaves a dim
    /// without a name.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [2, 3]).name_dims(["batch", "model"]);
    ///     x.sum("model")
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn name_dims<'n>(self, names: impl AsRef<[&'n str]>) -> Tensor {
        let (line, names) = (Location::caller(), names.as_ref());
        if names.len() != self.rank() {
            let (count, rank) = (names.len(), self.rank());
            let message = format!("{count} names are given to the {rank} dims of {}", self.words());
            self.report(
                line,
                Diagnostic::error(codes::DIM, message).help("give one name per dim, \"\" for none"),
            );
            return self;
        }
        self.set_names(names.iter().map(|name| (!name.is_empty()).then(|| (*name).into())).collect());
        self
    }
}

/// With names where names are given; a shape without names keeps what the op made of the operand's.
fn named(x: Tensor, names: Vec<Name>) -> Tensor {
    if names.iter().any(Option::is_some) {
        x.set_names(names);
    }
    x
}

pub(crate) fn reshape_to(x: Tensor, dims: &[i64], line: Line) -> Tensor {
    if x.dims() == dims {
        return x;
    }
    emit(Op::Movement(Movement::Reshape(Reshape { shape: dims.to_vec() })), &[x], line)
}

pub(crate) fn permute(x: Tensor, permutation: Vec<usize>, line: Line) -> Tensor {
    if permutation.iter().copied().eq(0..x.rank()) {
        return x;
    }
    emit(Op::Movement(Movement::Transpose(Transpose { permutation })), &[x], line)
}
