//! Element by element: functions of one tensor, of two, comparisons, selection, conversion.

use crate::arg::{Arg, pair};
use crate::codes;
use crate::ops::shape::{broadcast_pair, common_shape, stretch};
use crate::state::Line;
use crate::tensor::{Tensor, emit, fail, report};
use meshwright_base::Diagnostic;
use meshwright_ir::op::{self, BinaryOp, Compare, Direction, UnaryOp};
use meshwright_ir::{DType, Op};
use std::panic::Location;

pub(crate) fn unary(op: UnaryOp, x: Tensor, line: Line) -> Tensor {
    emit(Op::Unary(op), &[x], line)
}

/// Two arguments, broadcast to one shape.
pub(crate) fn binary(op: BinaryOp, a: Arg, b: Arg, line: Line) -> Tensor {
    let (a, b) = pair(op.mnemonic(), a, b, line);
    emit(Op::Binary(op), &[a, b], line)
}

fn compare(direction: Direction, name: &str, a: Tensor, b: Arg, line: Line) -> Tensor {
    let (a, b) = pair(name, a.into(), b, line);
    emit(Op::Compare(Compare { direction, kind: None }), &[a, b], line)
}

macro_rules! unary_methods {
    ($($(#[$doc:meta])* $name:ident = $op:ident,)*) => {
        /// Functions of one tensor, element by element.
        impl Tensor {
            $(
                $(#[$doc])*
                ///
                /// ```
                /// use meshwright_tensor::prelude::*;
                #[doc = concat!("let program = trace(\"f\", |t| t.input(\"x\", f32, [2, 3]).", stringify!($name), "())?;")]
                /// # Ok::<(), Errors>(())
                /// ```
                #[track_caller]
                pub fn $name(self) -> Tensor {
                    unary(UnaryOp::$op, self, Location::caller())
                }
            )*
        }
    };
}

unary_methods! {
    /// The size of a number without its sign; of a complex number its length.
    abs = Abs,
    /// e to the power of x.
    exp = Exponential,
    /// e to the power of x, minus 1, exact near 0.
    exp_m1 = ExponentialMinusOne,
    /// The natural logarithm.
    log = Log,
    /// The natural logarithm of 1 + x, exact near 0.
    log_1p = LogPlusOne,
    /// The square root.
    sqrt = Sqrt,
    /// 1 / sqrt(x).
    rsqrt = Rsqrt,
    /// The cubic root.
    cbrt = Cbrt,
    /// The sine.
    sin = Sine,
    /// The cosine.
    cos = Cosine,
    /// The tangent.
    tan = Tan,
    /// The hyperbolic tangent.
    tanh = Tanh,
    /// The inverse sine.
    asin = Asin,
    /// The inverse cosine.
    acos = Acos,
    /// The inverse tangent.
    atan = Atan,
    /// The hyperbolic sine.
    sinh = Sinh,
    /// The hyperbolic cosine.
    cosh = Cosh,
    /// The inverse hyperbolic sine.
    asinh = Asinh,
    /// The inverse hyperbolic cosine.
    acosh = Acosh,
    /// The inverse hyperbolic tangent.
    atanh = Atanh,
    /// 1 / (1 + exp(-x)).
    sigmoid = Logistic,
    /// The error function.
    erf = Erf,
    /// 1 minus the error function, exact for large x.
    erfc = Erfc,
    /// The inverse of the error function.
    erf_inv = ErfInv,
    /// The logarithm of the absolute gamma function.
    lgamma = Lgamma,
    /// The derivative of [`lgamma`](Tensor::lgamma).
    digamma = Digamma,
    /// The largest whole number not above x.
    floor = Floor,
    /// The smallest whole number not below x.
    ceil = Ceil,
    /// The nearest whole number, halves to the even one.
    round = RoundNearestEven,
    /// -1, 0 or 1.
    sign = Sign,
    /// Whether a number is neither infinite nor NaN.
    is_finite = IsFinite,
    /// The real part.
    real = Real,
    /// The imaginary part; zeros of a real tensor.
    imag = Imag,
    /// The complex conjugate.
    conj = Conj,
}

macro_rules! binary_methods {
    ($($(#[$doc:meta])* $name:ident = $op:ident,)*) => {
        /// Functions of two tensors, or of a tensor and a number, broadcast to one shape.
        impl Tensor {
            $(
                $(#[$doc])*
                ///
                /// ```
                /// use meshwright_tensor::prelude::*;
                /// let program = trace("f", |t| {
                ///     let (a, b) = (t.input("a", f32, [2, 3]), t.input("b", f32, [3]));
                #[doc = concat!("    a.", stringify!($name), "(b)")]
                /// })?;
                /// # Ok::<(), Errors>(())
                /// ```
                #[track_caller]
                pub fn $name(self, other: impl Into<Arg>) -> Tensor {
                    binary(BinaryOp::$op, self.into(), other.into(), Location::caller())
                }
            )*
        }
    };
}

binary_methods! {
    /// The larger of the two.
    maximum = Maximum,
    /// The smaller of the two.
    minimum = Minimum,
    /// The first to the power of the second.
    pow = Power,
    /// The angle of the point (second, first).
    atan2 = Atan2,
}

macro_rules! compare_methods {
    ($($(#[$doc:meta])* $name:ident = $direction:ident,)*) => {
        /// Comparisons: tensors of `pred`.
        impl Tensor {
            $(
                $(#[$doc])*
                ///
                /// ```
                /// use meshwright_tensor::prelude::*;
                #[doc = concat!("let program = trace(\"f\", |t| t.input(\"x\", f32, [3]).", stringify!($name), "(0.5))?;")]
                /// # Ok::<(), Errors>(())
                /// ```
                #[track_caller]
                pub fn $name(self, other: impl Into<Arg>) -> Tensor {
                    compare(Direction::$direction, stringify!($name), self, other.into(), Location::caller())
                }
            )*
        }
    };
}

compare_methods! {
    /// Whether the two are equal.
    eq = Eq,
    /// Whether the two differ.
    ne = Ne,
    /// Whether the first is smaller.
    lt = Lt,
    /// Whether the first is not larger.
    le = Le,
    /// Whether the first is larger.
    gt = Gt,
    /// Whether the first is not smaller.
    ge = Ge,
}

impl Tensor {
    /// x * x.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [3]).square())?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn square(self) -> Tensor {
        self * self
    }

    /// x to a whole power, by repeated multiplication.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [3]).powi(3))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn powi(self, power: u32) -> Tensor {
        let (mut rest, mut base, mut out) = (power, self, None);
        while rest > 0 {
            if rest % 2 == 1 {
                out = Some(match out {
                    None => base,
                    Some(out) => out * base,
                });
            }
            rest /= 2;
            if rest > 0 {
                base = base * base;
            }
        }
        match out {
            Some(out) => out,
            None => self.full_like(1),
        }
    }

    /// 1 / x.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [3]).recip())?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn recip(self) -> Tensor {
        1 / self
    }

    /// x between two bounds.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [3]).clip(-1.0, 1.0))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn clip(self, low: impl Into<Arg>, high: impl Into<Arg>) -> Tensor {
        self.maximum(low).minimum(high)
    }

    /// The other element type, by value. A float becomes an integer by dropping its fraction; `pred` is "not zero".
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [3]).cast(bf16))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn cast(self, dtype: DType) -> Tensor {
        if self.dtype() == dtype {
            return self;
        }
        if dtype == DType::Pred {
            return self.ne(0);
        }
        emit(Op::Convert(op::Convert::To(dtype)), &[self], Location::caller())
    }

    /// The same bits as another element type of the same width.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [3]).bitcast(u32))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn bitcast(self, dtype: DType) -> Tensor {
        let ty = self.ty().with_dtype(dtype);
        emit(Op::Convert(op::Convert::Bitcast(ty)), &[self], Location::caller())
    }

    /// A complex tensor from its real and imaginary parts.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("re", f32, [3]).complex(t.input("im", f32, [3])))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn complex(self, imaginary: impl Into<Arg>) -> Tensor {
        binary(BinaryOp::Complex, self.into(), imaginary.into(), Location::caller())
    }

    /// `a` where this is true, `b` elsewhere; all three broadcast to one shape.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [3]);
    ///     x.gt(0.0).select(x, 0.0)
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn select(self, a: impl Into<Arg>, b: impl Into<Arg>) -> Tensor {
        select(self, a.into(), b.into(), Location::caller())
    }

    /// max(x, 0).
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [3]).relu())?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn relu(self) -> Tensor {
        self.maximum(0)
    }

    /// x * sigmoid(x).
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [3]).silu())?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn silu(self) -> Tensor {
        self * self.sigmoid()
    }

    /// x times the normal distribution's cumulative function, in the usual approximation by `tanh`.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [3]).gelu())?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn gelu(self) -> Tensor {
        let scale = (2.0 / std::f64::consts::PI).sqrt();
        let inner = scale * (self + 0.044715 * (self * self * self));
        0.5 * self * (1.0 + inner.tanh())
    }

    /// x times the normal distribution's cumulative function, by `erf`.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [3]).gelu_exact())?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn gelu_exact(self) -> Tensor {
        0.5 * self * (1.0 + (self * std::f64::consts::FRAC_1_SQRT_2).erf())
    }

    /// log(1 + exp(x)), without overflow.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [3]).softplus())?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn softplus(self) -> Tensor {
        self.maximum(0) + (-self.abs()).exp().log_1p()
    }
}

fn select(condition: Tensor, a: Arg, b: Arg, line: Line) -> Tensor {
    let (a, b) = pair("select", a, b, line);
    if condition.dtype() != DType::Pred {
        let message = format!("select by {}: the choice must be pred", condition.words());
        let help = "compare it, for instance with `.ne(0)`";
        return fail(a.ty(), line, &[condition], Diagnostic::error(codes::DTYPE, message).help(help));
    }
    let Some(dims) = common_shape(&condition.dims(), &a.dims()) else {
        let (condition, a) = broadcast_pair("select", condition, a, line);
        return emit(Op::Select, &[condition, a, b], line);
    };
    let wide = |x: Tensor| stretch(x, &dims, line);
    emit(Op::Select, &[wide(condition), wide(a), wide(b)], line)
}

/// `a` where the condition is true, `b` elsewhere.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |t| {
///     let x = t.input("x", f32, [3]);
///     select_where(x.gt(0.0), x, 0.0)
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn select_where(condition: Tensor, a: impl Into<Arg>, b: impl Into<Arg>) -> Tensor {
    select(condition, a.into(), b.into(), Location::caller())
}

/// A tensor must have one of these classes of element types.
pub(crate) fn expect_float(name: &str, x: Tensor, line: Line) {
    if !x.dtype().is_float() && !x.dtype().is_complex() {
        let message = format!("{name} of {}: not defined on {}", x.words(), x.dtype());
        if !x.is_poisoned() {
            report(line, Diagnostic::error(codes::DTYPE, message).help("cast it to a float type first"));
        }
    }
}
