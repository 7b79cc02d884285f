//! Elementwise ops: each becomes one op of a tile program.

use super::{Frame, Lower, Val, Where};
use meshwright_ir::op::{BinaryOp, Compare, CompareKind, Convert, UnaryOp};
use meshwright_ir::{Class, DType, Inst};
use meshwright_kernels::scalar;
use meshwright_kernels::tile::TileOp;
use meshwright_kernels::view::View;
use meshwright_runtime::RunError;

impl<'m> Lower<'m> {
    pub fn unary(&mut self, op: UnaryOp, frame: &Frame<'m>, inst: &Inst, x: &[Val]) -> Result<Val, RunError> {
        let [x] = x else { return Err(self.unsound("a unary op takes one operand")) };
        let (dtype, _) = self.result(frame, inst, 0)?;
        self.unary_of(op, dtype, x)
    }

    pub fn unary_of(&mut self, op: UnaryOp, dtype: DType, x: &Val) -> Result<Val, RunError> {
        let nothing =
            op == UnaryOp::Copy || (!x.dtype.is_complex() && matches!(op, UnaryOp::Real | UnaryOp::Conj));
        if nothing {
            return Ok(x.clone());
        }
        if op == UnaryOp::ErfInv && x.dtype.is_float() && x.dtype.bits() <= 32 {
            return self.inverse_error(x);
        }
        if !has_unary(op, x.dtype) {
            return Err(self.refuse(format!("{op:?} of {}", x.dtype)));
        }
        if matches!(x.dtype, DType::BF16 | DType::F16) && is_made_wide(op) {
            let wide = self.convert_to(DType::F32, x)?;
            let made = self.unary_of(op, DType::F32, &wide)?;
            return self.convert_to(dtype, &made);
        }
        let ty = x.dtype;
        self.elementwise(dtype, &x.dims, &[x], &|to, a| TileOp::Unary { op, ty, to, a: a[0] })
    }

    pub fn binary(
        &mut self,
        op: BinaryOp,
        frame: &Frame<'m>,
        inst: &Inst,
        x: &[Val],
    ) -> Result<Val, RunError> {
        let [a, b] = x else { return Err(self.unsound("a binary op takes two operands")) };
        let (dtype, _) = self.result(frame, inst, 0)?;
        if op == BinaryOp::Add
            && let Some(joined) = self.joined_pads(a, b, frame, inst)?
        {
            return Ok(joined);
        }
        self.binary_of(op, dtype, a, b)
    }

    pub fn binary_of(&mut self, op: BinaryOp, dtype: DType, a: &Val, b: &Val) -> Result<Val, RunError> {
        let ty = a.dtype;
        if !has_binary(op, ty) {
            return Err(self.refuse(format!("{op:?} of {ty}")));
        }
        if let (BinaryOp::Divide, Some(b)) = (op, inverse_of_power(b)) {
            return self.binary_of(BinaryOp::Multiply, dtype, a, &b);
        }
        if let Some((op, b)) = by_power(op, b) {
            return self.binary_of(op, dtype, a, &b);
        }
        self.elementwise(dtype, &a.dims, &[a, b], &|to, x| TileOp::Binary { op, ty, to, a: x[0], b: x[1] })
    }

    pub fn compare(&mut self, op: &Compare, x: &[Val]) -> Result<Val, RunError> {
        let [a, b] = x else { return Err(self.unsound("compare takes two operands")) };
        let (ty, direction) = (a.dtype, op.direction);
        let total = op.kind == Some(CompareKind::TotalOrder);
        self.elementwise(DType::Pred, &a.dims, &[a, b], &|to, x| TileOp::Compare {
            direction,
            total,
            ty,
            to,
            a: x[0],
            b: x[1],
        })
    }

    pub fn select(&mut self, x: &[Val]) -> Result<Val, RunError> {
        let [p, a, b] = x else { return Err(self.unsound("select takes three operands")) };
        let p = self.stretched(p, &a.dims)?;
        let ty = a.dtype;
        self.elementwise(ty, &a.dims, &[&p, a, b], &|to, x| TileOp::Select {
            ty,
            to,
            p: x[0],
            a: x[1],
            b: x[2],
        })
    }

    pub fn clamp(&mut self, x: &[Val]) -> Result<Val, RunError> {
        let [low, x, high] = x else { return Err(self.unsound("clamp takes three operands")) };
        let (low, high) = (self.stretched(low, &x.dims)?, self.stretched(high, &x.dims)?);
        let raised = self.binary_of(BinaryOp::Maximum, x.dtype, &low, x)?;
        self.binary_of(BinaryOp::Minimum, x.dtype, &raised, &high)
    }

    /// A scalar seen at every place of a shape; others as they are.
    pub fn stretched(&mut self, x: &Val, dims: &[usize]) -> Result<Val, RunError> {
        if x.dims == dims {
            return Ok(x.clone());
        }
        let at = match &x.at {
            Where::Splat(element) => Where::Splat(*element),
            _ => {
                let (buf, view) = self.view(x)?;
                let scalar = View { dims: Vec::new(), strides: Vec::new(), offset: view.offset };
                Where::Buf { buf, view: scalar.broadcast(&[], dims) }
            }
        };
        Ok(Val { dtype: x.dtype, dims: dims.to_vec(), at })
    }

    pub fn convert(&mut self, op: &Convert, x: &[Val]) -> Result<Val, RunError> {
        let [x] = x else { return Err(self.unsound("convert takes one operand")) };
        match op {
            Convert::To(dtype) => self.convert_to(*dtype, x),
            Convert::Bitcast(ty) => self.bitcast(ty, x),
            Convert::ReducePrecision { .. } if x.dtype.bits() >= 32 && op.keeps_precision_of(x.dtype) => {
                Ok(x.clone())
            }
            Convert::ReducePrecision { exponent_bits, mantissa_bits } => {
                let (ty, exponent, mantissa) = (x.dtype, *exponent_bits, *mantissa_bits);
                self.elementwise(ty, &x.dims, &[x], &|to, a| TileOp::Precision {
                    ty,
                    exponent,
                    mantissa,
                    to,
                    a: a[0],
                })
            }
        }
    }

    pub fn convert_to(&mut self, dtype: DType, x: &Val) -> Result<Val, RunError> {
        if x.dtype == dtype {
            return Ok(x.clone());
        }
        let from = x.dtype;
        if let Some(element) = whole_number(x).filter(|_| is_whole(dtype)) {
            let mut bytes = [0; 16];
            bytes[..dtype.bytes()].copy_from_slice(&element.to_le_bytes()[..dtype.bytes()]);
            return Ok(Val { dtype, dims: x.dims.clone(), at: Where::Splat(bytes) });
        }
        let small = matches!(x.at, Where::Iota { .. }) && dtype.bits() >= 32 && !dtype.is_complex();
        if small && from.bits() >= 32 && x.count() < 1 << 24 {
            return Ok(Val { dtype, dims: x.dims.clone(), at: x.at.clone() });
        }
        self.elementwise(dtype, &x.dims, &[x], &|to, a| TileOp::Convert { from, to_ty: dtype, to, a: a[0] })
    }

    fn bitcast(&mut self, ty: &meshwright_ir::TensorType, x: &Val) -> Result<Val, RunError> {
        let dims = meshwright_kernels::view::sizes(&ty.dims);
        if ty.dtype.bytes() * dims.iter().product::<usize>() != x.dtype.bytes() * x.count() {
            return Err(self.refuse("a bitcast of sub-byte types to another width"));
        }
        // The bytes stay; a dense buffer is seen as another type.
        let buf = self.dense(x)?;
        let view = View::dense(&dims);
        Ok(Val { dtype: ty.dtype, dims, at: Where::Buf { buf, view } })
    }
}

/// Functions of narrow floats that are those of `f32`, rounded: these are vector code.
fn is_made_wide(op: UnaryOp) -> bool {
    use UnaryOp as U;
    let roots = matches!(op, U::Sqrt | U::Rsqrt | U::Cbrt | U::Square);
    let waves = matches!(op, U::Sine | U::Cosine | U::Tan | U::Tanh | U::Erf | U::Logistic);
    let powers = matches!(op, U::Exponential | U::ExponentialMinusOne | U::Log | U::LogPlusOne);
    roots || waves || powers
}

/// 1 / x where x is a power of two everywhere: multiplying by it gives the bits that dividing by x does, sooner.
fn inverse_of_power(x: &Val) -> Option<Val> {
    let (Where::Splat([a, b, c, d, ..]), DType::F32) = (&x.at, x.dtype) else { return None };
    let inverse = 1.0 / f32::from_le_bytes([*a, *b, *c, *d]);
    let power = inverse.is_normal() && (1.0 / inverse).is_normal() && inverse.to_bits() & 0x007f_ffff == 0;
    let mut element = [0; 16];
    element[..4].copy_from_slice(&inverse.to_le_bytes());
    let exact = u32::from_le_bytes([*a, *b, *c, *d]) & 0x007f_ffff == 0;
    (power && exact).then(|| Val { dtype: x.dtype, dims: x.dims.clone(), at: Where::Splat(element) })
}

/// Whole numbers of whole bytes.
fn is_whole(dtype: DType) -> bool {
    matches!(dtype.class(), Class::Signed | Class::Unsigned) && dtype.bits() >= 8
}

/// The number that is everywhere, if it is a whole one; its lower bytes are those of any other type.
fn whole_number(x: &Val) -> Option<i128> {
    let Where::Splat(element) = &x.at else { return None };
    let bits = 8 * x.dtype.bytes() as u32;
    let spread = 128 - bits;
    let number = i128::from_le_bytes(*element) << spread;
    is_whole(x.dtype).then(|| match x.dtype.class() {
        Class::Signed => number >> spread,
        _ => (number as u128 >> spread) as i128,
    })
}

/// Quotients and remainders by a power of two, of numbers without signs: as shifts and masks, which are vector code.
fn by_power(op: BinaryOp, b: &Val) -> Option<(BinaryOp, Val)> {
    let power = whole_number(b).filter(|n| b.dtype.class() == Class::Unsigned && n.count_ones() == 1)?;
    let (op, number) = match op {
        BinaryOp::Divide => (BinaryOp::ShiftRightLogical, i128::from(power.trailing_zeros())),
        BinaryOp::Remainder => (BinaryOp::And, power - 1),
        _ => return None,
    };
    Some((op, Val { at: Where::Splat(number.to_le_bytes()), ..b.clone() }))
}

fn has_unary(op: UnaryOp, dtype: DType) -> bool {
    match dtype.class() {
        Class::Pred => op == UnaryOp::Not,
        Class::Signed => scalar::int_unary(op).is_some(),
        Class::Unsigned => scalar::uint_unary(op).is_some(),
        Class::Float => scalar::float_unary(op).is_some() || scalar::float_test(op).is_some(),
        Class::Complex => scalar::complex_unary(op).is_some() || scalar::complex_part(op).is_some(),
    }
}

pub(super) fn has_binary(op: BinaryOp, dtype: DType) -> bool {
    match dtype.class() {
        Class::Pred => true,
        Class::Signed => scalar::int_binary(op).is_some(),
        Class::Unsigned => scalar::uint_binary(op).is_some(),
        Class::Float if op == BinaryOp::Complex => true,
        Class::Float if op == BinaryOp::NextAfter => {
            matches!(dtype, DType::F16 | DType::BF16 | DType::F32 | DType::F64)
        }
        Class::Float => scalar::float_binary(op).is_some(),
        Class::Complex => scalar::complex_binary(op).is_some(),
    }
}
