//! Tensors from nothing: constants, iota.

use crate::arg::Arg;
use crate::codes;
use crate::dims::{At, Shape};
use crate::state::{self, Line};
use crate::tensor::{Tensor, emit, fail, report};
use meshwright_base::Diagnostic;
use meshwright_ir::literal::float_bytes;
use meshwright_ir::{DType, Literal, Op, TensorType, op};
use std::panic::Location;

pub(crate) fn constant_of(literal: Literal, line: Line) -> Tensor {
    emit(Op::Constant(op::Constant(literal)), &[], line)
}

/// A constant with one value everywhere.
pub(crate) fn filled(ty: TensorType, value: f64, line: Line) -> Tensor {
    let bytes = float_bytes(ty.dtype, value);
    let literal = Literal::splat(ty.clone(), &bytes).unwrap_or_else(|| Literal::zeros(ty));
    constant_of(literal, line)
}

pub(crate) fn filled_int(ty: TensorType, value: i64, line: Line) -> Tensor {
    constant_of(Literal::splat_int(ty, value), line)
}

/// A tensor of one number.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |_| full(f32, [2, 3], 0.5))?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn full(dtype: DType, shape: impl Shape, value: impl Into<Arg>) -> Tensor {
    let line = Location::caller();
    let (dims, names) = shape.into_shape();
    let scalar = value.into().tensor(dtype, line);
    if scalar.dtype() != dtype || scalar.rank() != 0 {
        let message = format!("a tensor cannot be filled with {}", scalar.words());
        let diagnostic = Diagnostic::error(codes::DTYPE, message).help("fill it with a number");
        return fail(TensorType::new(dtype, dims), line, &[scalar], diagnostic);
    }
    let out = super::shape::broadcast_in(scalar, &dims, &[], line);
    out.set_names(names);
    out
}

/// A tensor of zeros.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |_| zeros(f32, [2, 3]))?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn zeros(dtype: DType, shape: impl Shape) -> Tensor {
    full(dtype, shape, 0)
}

/// A tensor of ones.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |_| ones(f32, [2, 3]))?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn ones(dtype: DType, shape: impl Shape) -> Tensor {
    full(dtype, shape, 1)
}

/// A number as a tensor of rank 0.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |_| scalar(f32, 0.5))?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn scalar(dtype: DType, value: impl Into<Arg>) -> Tensor {
    full(dtype, (), value)
}

/// A constant from numbers in row-major order, rounded to the element type.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |_| constant(f32, [2, 2], &[1.0, 2.0, 3.0, 4.0]))?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn constant(dtype: DType, shape: impl Shape, values: &[f64]) -> Tensor {
    let line = Location::caller();
    let (dims, names) = shape.into_shape();
    let ty = TensorType::new(dtype, dims);
    let bytes: Vec<u8> = values.iter().flat_map(|value| element(dtype, *value)).collect();
    match Literal::dense(ty.clone(), bytes) {
        Some(literal) => {
            let out = constant_of(literal, line);
            out.set_names(names);
            out
        }
        None => {
            let message = format!("{} numbers are given to {ty}, which has {}", values.len(), ty.elements());
            let help = "give one number per element, the last dim running fastest";
            fail(ty, line, &[], Diagnostic::error(codes::SHAPE, message).help(help))
        }
    }
}

/// Bytes of one number; integers are cut toward zero, and saturate.
fn element(dtype: DType, value: f64) -> Vec<u8> {
    if dtype.is_float() || dtype.is_complex() {
        return float_bytes(dtype, value);
    }
    let literal = Literal::splat_int(TensorType::scalar(dtype), value as i64);
    literal.as_splat().map(<[u8]>::to_vec).unwrap_or_default()
}

/// A constant from any data: shape, element type and bytes.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// use meshwright_ir::{Literal, TensorType};
/// let program = trace("f", |_| literal(Literal::zeros(TensorType::new(f32, [2]))))?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn literal(literal: Literal) -> Tensor {
    constant_of(literal, Location::caller())
}

/// Numbers that count along a dim: element at an index is its position along `dim`.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |_| iota(i32, [2, 3], 1))?; // [[0, 1, 2], [0, 1, 2]]
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn iota(dtype: DType, shape: impl Shape, dim: impl Into<At>) -> Tensor {
    let line = Location::caller();
    let (dims, names) = shape.into_shape();
    let ty = TensorType::new(dtype, dims);
    let rank = ty.rank() as i64;
    let at = match dim.into() {
        At::Number(number) if (-rank..rank).contains(&number) => Some(number.rem_euclid(rank) as usize),
        At::Number(_) => None,
        At::Name(name) => names.iter().position(|known| known.as_ref() == Some(&name)),
    };
    let Some(dim) = at else {
        let message = format!("iota along a dim that {ty} does not have");
        return fail(
            ty,
            line,
            &[],
            Diagnostic::error(codes::DIM, message).help("count along one of its dims"),
        );
    };
    let out = emit(Op::Iota(op::Iota { dim, ty }), &[], line);
    out.set_names(names);
    out
}

/// `0, 1, .. n - 1`.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |_| range(f32, 5))?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn range(dtype: DType, n: i64) -> Tensor {
    iota(dtype, [n], 0)
}

impl Tensor {
    /// Ones where a number stands, in a new last dim of `classes` elements; a number out of range gives no one.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("expert", i32, [8]).one_hot(4, f32))?; // f32[8,4]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn one_hot(self, classes: impl crate::IntoDim, dtype: DType) -> Tensor {
        let line = Location::caller();
        let (size, name) = classes.into_dim();
        if !self.dtype().is_integer() {
            let message = format!("one_hot of {}: the numbers must be integers", self.words());
            let dims = [self.dims(), vec![size]].concat();
            let diagnostic =
                Diagnostic::error(codes::DTYPE, message).help("cast them, for instance with `.cast(i32)`");
            return fail(TensorType::new(dtype, dims), line, &[self], diagnostic);
        }
        let dims = [self.dims(), vec![size]].concat();
        let rank = self.rank();
        let mut names = self.names();
        names.push(name);
        let kept: Vec<usize> = (0..rank).collect();
        let wide = super::shape::broadcast_in(self, &dims, &kept, line);
        let places =
            emit(Op::Iota(op::Iota { dim: rank, ty: TensorType::new(self.dtype(), dims) }), &[], line);
        let out = wide.eq(places).cast(dtype);
        out.set_names(names);
        out
    }

    /// Zeros like this tensor.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [8]).zeros_like())?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn zeros_like(self) -> Tensor {
        self.full_like(0)
    }

    /// A number in the shape of this tensor.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [8]).full_like(0.5))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn full_like(self, value: impl Into<Arg>) -> Tensor {
        let out = full(self.dtype(), self.dims(), value);
        out.set_names(self.names());
        out
    }
}

/// The identity matrix.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |_| eye(f32, 4))?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn eye(dtype: DType, n: i64) -> Tensor {
    let (row, column) = (iota(DType::S32, [n, n], 0), iota(DType::S32, [n, n], 1));
    row.eq(column).cast(dtype)
}

/// The default element type of floats in this trace; `f32` unless [`Trace::set_float`](crate::Trace::set_float) said
/// otherwise.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |_| zeros(default_float(), [2]))?;
/// # Ok::<(), Errors>(())
/// ```
pub fn default_float() -> DType {
    state::with(|state| state.float).unwrap_or(DType::F32)
}

pub(crate) fn refuse(line: Line, code: meshwright_base::Code, message: String, help: &str) {
    report(line, Diagnostic::error(code, message).help(help));
}
