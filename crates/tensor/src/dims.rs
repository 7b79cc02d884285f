//! Shapes as users write them: sizes, sizes with names, and ways to point at dims.
//!
//! A name is shown in messages and looked up in [`Rules`](crate::Rules). Dims are pointed at by number (negative
//! numbers count from the end) or by name.

use std::fmt;
use std::sync::Arc;

/// A dim of a tensor: its size, and a name if it has one.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// const BATCH: Dim = Dim::new("batch", 32);
/// let program = trace("f", |t| t.input("x", f32, [BATCH, Dim::of(8)])).unwrap();
/// assert!(program.to_string().contains("x: f32[batch=32,8]"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dim {
    /// The name.
    pub name: Option<&'static str>,
    /// The number of elements.
    pub size: i64,
}

impl Dim {
    /// A dim with a name.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// assert_eq!(Dim::new("batch", 32).size, 32);
    /// ```
    pub const fn new(name: &'static str, size: i64) -> Dim {
        Dim { name: Some(name), size }
    }

    /// A dim without a name.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// assert_eq!(Dim::of(8).name, None);
    /// ```
    pub const fn of(size: i64) -> Dim {
        Dim { name: None, size }
    }
}

/// Name of a dim inside the trace.
pub(crate) type Name = Option<Arc<str>>;

/// What can be one dim of a shape: a number, `("name", number)`, or a [`Dim`].
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |t| {
///     t.input("x", f32, [("batch", 8), ("model", 4)]) + t.input("y", f32, [Dim::new("batch", 8), Dim::of(4)])
/// })?;
/// # Ok::<(), Errors>(())
/// ```
pub trait IntoDim {
    /// Size and name.
    fn into_dim(self) -> (i64, Name);
}

macro_rules! integer_dims {
    ($($int:ty),*) => {
        $(
            impl IntoDim for $int {
                fn into_dim(self) -> (i64, Name) {
                    (i64::try_from(self).unwrap_or(i64::MAX), None)
                }
            }
        )*
    };
}
integer_dims!(i32, i64, u32, u64, usize);

impl<N: Into<Arc<str>>, S: IntoDim> IntoDim for (N, S) {
    fn into_dim(self) -> (i64, Name) {
        (self.1.into_dim().0, Some(self.0.into()))
    }
}

impl IntoDim for Dim {
    fn into_dim(self) -> (i64, Name) {
        (self.size, self.name.map(Arc::from))
    }
}

impl<D: IntoDim + Copy> IntoDim for &D {
    fn into_dim(self) -> (i64, Name) {
        (*self).into_dim()
    }
}

/// What can be a shape: arrays, slices and lists of dims, `()` for a scalar, or tuples that mix named and plain dims.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |t| {
///     let scalar = t.input("scalar", f32, ());
///     let matrix = t.input("matrix", f32, (("batch", 8), 4));
///     t.input("like", f32, matrix.dims()) + matrix * scalar
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a shape",
    label = "not sizes of dims",
    note = "write `[8, 4]`, `((\"batch\", 8), 4)`, `x.dims()`, or `()` for a scalar"
)]
pub trait Shape {
    /// Sizes and names.
    fn into_shape(self) -> (Vec<i64>, Vec<Name>);
}

fn collect<D: IntoDim>(dims: impl IntoIterator<Item = D>) -> (Vec<i64>, Vec<Name>) {
    dims.into_iter().map(IntoDim::into_dim).unzip()
}

impl<D: IntoDim, const N: usize> Shape for [D; N] {
    fn into_shape(self) -> (Vec<i64>, Vec<Name>) {
        collect(self)
    }
}

impl<D: IntoDim> Shape for Vec<D> {
    fn into_shape(self) -> (Vec<i64>, Vec<Name>) {
        collect(self)
    }
}

impl<D: IntoDim + Copy> Shape for &[D] {
    fn into_shape(self) -> (Vec<i64>, Vec<Name>) {
        collect(self)
    }
}

impl<D: IntoDim + Copy> Shape for &Vec<D> {
    fn into_shape(self) -> (Vec<i64>, Vec<Name>) {
        collect(self)
    }
}

macro_rules! tuple_shapes {
    ($($name:ident)*) => {
        impl<$($name: IntoDim),*> Shape for ($($name,)*) {
            fn into_shape(self) -> (Vec<i64>, Vec<Name>) {
                #[allow(non_snake_case)]
                let ($($name,)*) = self;
                [$($name.into_dim()),*].into_iter().unzip()
            }
        }
    };
}
tuple_shapes!(A);
tuple_shapes!(A B);
tuple_shapes!(A B C);
tuple_shapes!(A B C D);
tuple_shapes!(A B C D E);
tuple_shapes!(A B C D E F);

impl Shape for () {
    fn into_shape(self) -> (Vec<i64>, Vec<Name>) {
        (Vec::new(), Vec::new())
    }
}

/// One dim, pointed at.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |t| {
///     let x = t.input("x", f32, [("batch", 8), ("model", 4)]);
///     x.argmax(-1) + x.argmax("model") // the same dim
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum At {
    /// By number; negative numbers count from the end.
    Number(i64),
    /// By name.
    Name(Arc<str>),
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            At::Number(number) => write!(f, "{number}"),
            At::Name(name) => write!(f, "`{name}`"),
        }
    }
}

macro_rules! integer_at {
    ($($int:ty),*) => {
        $(
            impl From<$int> for At {
                fn from(number: $int) -> At {
                    At::Number(i64::try_from(number).unwrap_or(i64::MAX))
                }
            }
        )*
    };
}
integer_at!(i32, i64, usize);

impl From<&str> for At {
    fn from(name: &str) -> At {
        At::Name(name.into())
    }
}

/// Several dims, pointed at: one, an array or list, or `..` for all.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |t| {
///     let x = t.input("x", f32, [("batch", 8), ("model", 4)]);
///     (x.sum(..), x.sum(0), x.sum([0, -1]), x.sum(["batch", "model"]))
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AtDims {
    /// Every dim.
    All,
    /// These.
    These(Vec<At>),
}

impl From<std::ops::RangeFull> for AtDims {
    fn from(_: std::ops::RangeFull) -> AtDims {
        AtDims::All
    }
}

impl<A: Into<At>> From<A> for AtDims {
    fn from(at: A) -> AtDims {
        AtDims::These(vec![at.into()])
    }
}

impl<A: Into<At>, const N: usize> From<[A; N]> for AtDims {
    fn from(list: [A; N]) -> AtDims {
        AtDims::These(list.into_iter().map(Into::into).collect())
    }
}

impl<A: Into<At>> From<Vec<A>> for AtDims {
    fn from(list: Vec<A>) -> AtDims {
        AtDims::These(list.into_iter().map(Into::into).collect())
    }
}

impl From<&[i64]> for AtDims {
    fn from(list: &[i64]) -> AtDims {
        AtDims::These(list.iter().map(|at| At::Number(*at)).collect())
    }
}
