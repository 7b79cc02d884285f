//! What may stand where a tensor is expected: tensors and plain numbers.
//!
//! A number takes the element type and shape of the tensor beside it.

use crate::codes;
use crate::ops::create::filled;
use crate::ops::shape::broadcast_pair;
use crate::state::{self, Line};
use crate::tensor::{Tensor, poison, report};
use meshwright_base::Diagnostic;
use meshwright_ir::{DType, TensorType};

/// A tensor or a number.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |t| {
///     let x = t.input("x", f32, [4]);
///     x.maximum(0).minimum(1.5) + x // numbers and tensors
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Arg {
    /// A tensor.
    Tensor(Tensor),
    /// A number with a fraction: for float and complex tensors.
    Float(f64),
    /// A whole number: for any tensor.
    Int(i64),
    /// A truth value.
    Bool(bool),
}

impl From<Tensor> for Arg {
    fn from(tensor: Tensor) -> Arg {
        Arg::Tensor(tensor)
    }
}

impl From<&Tensor> for Arg {
    fn from(tensor: &Tensor) -> Arg {
        Arg::Tensor(*tensor)
    }
}

impl From<bool> for Arg {
    fn from(value: bool) -> Arg {
        Arg::Bool(value)
    }
}

macro_rules! numbers {
    ($($number:ty => $kind:ident as $wide:ty),*) => {
        $(
            impl From<$number> for Arg {
                fn from(value: $number) -> Arg {
                    Arg::$kind(value as $wide)
                }
            }
        )*
    };
}
numbers!(f32 => Float as f64, f64 => Float as f64, i32 => Int as i64, i64 => Int as i64, u32 => Int as i64, usize => Int as i64);

impl Arg {
    /// The element type a number has by itself.
    fn own_dtype(self) -> DType {
        match self {
            Arg::Tensor(tensor) => tensor.dtype(),
            Arg::Float(_) => state::with(|state| state.float).unwrap_or(DType::F32),
            Arg::Int(_) => DType::S32,
            Arg::Bool(_) => DType::Pred,
        }
    }

    /// As a tensor of this element type: numbers become scalars.
    pub(crate) fn tensor(self, dtype: DType, line: Line) -> Tensor {
        match self {
            Arg::Tensor(tensor) => tensor,
            Arg::Float(value) if dtype.is_float() || dtype.is_complex() => {
                filled(TensorType::scalar(dtype), value, line)
            }
            Arg::Float(value) => {
                let message = format!("the number {value} has a fraction, the tensor beside it is {dtype}");
                let help = "cast the tensor to a float type, or use a whole number";
                report(line, Diagnostic::error(codes::DTYPE, message).help(help));
                poison(TensorType::scalar(dtype), line)
            }
            Arg::Int(value) => crate::ops::create::filled_int(TensorType::scalar(dtype), value, line),
            Arg::Bool(value) => {
                crate::ops::create::filled_int(TensorType::scalar(dtype), i64::from(value), line)
            }
        }
    }
}

/// Two arguments as tensors of one element type and shape. Different element types are an error: nothing is converted
/// silently.
pub(crate) fn pair(name: &str, a: Arg, b: Arg, line: Line) -> (Tensor, Tensor) {
    let dtype = match (a, b) {
        (Arg::Tensor(a), _) => a.dtype(),
        (_, Arg::Tensor(b)) => b.dtype(),
        _ if matches!(a, Arg::Float(_)) => a.own_dtype(),
        _ => b.own_dtype(),
    };
    let (a, mut b) = (a.tensor(dtype, line), b.tensor(dtype, line));
    if a.dtype() != b.dtype() {
        dtypes_differ(name, a, b, line);
        b = poison(b.ty().with_dtype(a.dtype()), line);
    }
    broadcast_pair(name, a, b, line)
}

pub(crate) fn dtypes_differ(name: &str, a: Tensor, b: Tensor, line: Line) {
    if a.is_poisoned() || b.is_poisoned() {
        return;
    }
    let message = format!("{name} of {} and {}: the element types differ", a.words(), b.words());
    let help = format!("convert one side, for instance with `.cast({})`", a.dtype());
    report(line, Diagnostic::error(codes::DTYPE, message).help(help));
}
