//! The upper half of a product of integers (`mulhi`).
//!
//! ```text
//! 8 to 32 bits   the product in a type of twice as many bits, shifted down
//! 64 bits        schoolbook multiplication of 32-bit halves
//! ```

use super::{Last, Push};
use meshwright_ir::op::{BinaryOp, Constant, Convert};
use meshwright_ir::{Class, DType, Literal, Op, TensorType, ValueId};

/// `None` for what are no such integers.
pub(crate) fn high_product(ty: &TensorType, factors: [ValueId; 2], push: &mut Push<'_>) -> Option<Last> {
    match twice(ty.dtype) {
        Some(dtype) => Some(doubled(ty, dtype, factors, push)),
        None if matches!(ty.dtype, DType::S64 | DType::U64) => Some(Halves { ty, push }.product(factors)),
        None => None,
    }
}

/// The integer type of twice as many bits.
fn twice(dtype: DType) -> Option<DType> {
    match dtype {
        DType::S8 => Some(DType::S16),
        DType::S16 => Some(DType::S32),
        DType::S32 => Some(DType::S64),
        DType::U8 => Some(DType::U16),
        DType::U16 => Some(DType::U32),
        DType::U32 => Some(DType::U64),
        _ => None,
    }
}

fn doubled(narrow: &TensorType, dtype: DType, factors: [ValueId; 2], push: &mut Push<'_>) -> Last {
    let wide = narrow.with_dtype(dtype);
    let factors = factors.map(|factor| push(Op::Convert(Convert::To(dtype)), vec![factor], &wide));
    let product = push(Op::Binary(BinaryOp::Multiply), factors.to_vec(), &wide);
    let bits = Literal::splat_int(wide.clone(), i64::from(narrow.dtype.bits()));
    let bits = push(Op::Constant(Constant(bits)), Vec::new(), &wide);
    let high = push(Op::Binary(BinaryOp::ShiftRightLogical), vec![product, bits], &wide);
    (Op::Convert(Convert::To(narrow.dtype)), vec![high])
}

/// Arithmetic on 64 bits that wraps, with names short enough for a formula.
struct Halves<'h, 'p> {
    ty: &'h TensorType,
    push: &'h mut Push<'p>,
}

impl Halves<'_, '_> {
    fn op(&mut self, op: BinaryOp, a: ValueId, b: ValueId) -> ValueId {
        (self.push)(Op::Binary(op), vec![a, b], self.ty)
    }

    fn constant(&mut self, value: i64) -> ValueId {
        let literal = Literal::splat_int(self.ty.clone(), value);
        (self.push)(Op::Constant(Constant(literal)), Vec::new(), self.ty)
    }

    /// With a = a1 2^32 + a0 and b likewise, none of these sums overflows:
    ///
    /// ```text
    /// middle = (a0 b0 >> 32) + (a1 b0 mod 2^32) + a0 b1
    /// high   = a1 b1 + (a1 b0 >> 32) + (middle >> 32)
    /// ```
    /// A negative factor counts 2^64 too many times the other one.
    fn product(&mut self, [a, b]: [ValueId; 2]) -> Last {
        use BinaryOp::{Add, And, Multiply, ShiftRightArithmetic, ShiftRightLogical, Subtract};
        let (half, mask) = (self.constant(32), self.constant(0xffff_ffff));
        let (a0, a1) = (self.op(And, a, mask), self.op(ShiftRightLogical, a, half));
        let (b0, b1) = (self.op(And, b, mask), self.op(ShiftRightLogical, b, half));
        let low = self.op(Multiply, a0, b0);
        let low = self.op(ShiftRightLogical, low, half);
        let cross = self.op(Multiply, a1, b0);
        let cross_low = self.op(And, cross, mask);
        let other = self.op(Multiply, a0, b1);
        let middle = self.op(Add, low, cross_low);
        let middle = self.op(Add, middle, other);
        let middle = self.op(ShiftRightLogical, middle, half);
        let cross_high = self.op(ShiftRightLogical, cross, half);
        let carried = self.op(Add, cross_high, middle);
        let high = self.op(Multiply, a1, b1);
        if self.ty.dtype.class() != Class::Signed {
            return (Op::Binary(Add), vec![high, carried]);
        }
        let unsigned = self.op(Add, high, carried);
        let sign = self.constant(63);
        let a_negative = self.op(ShiftRightArithmetic, a, sign);
        let b_negative = self.op(ShiftRightArithmetic, b, sign);
        let (b_times, a_times) = (self.op(And, a_negative, b), self.op(And, b_negative, a));
        let excess = self.op(Add, b_times, a_times);
        (Op::Binary(Subtract), vec![unsigned, excess])
    }
}
