//! Loops over types of 64 bits: eight lanes to a vector, and the same instructions in their other form
//! ([`Asm::double`]).
//!
//! Arithmetic, comparisons and choices; functions other than roots have no code here. Where a loop holds types of both
//! sizes, those of 32 bits lie in the lower halves of their vectors, so that all have eight lanes, and `pred` has lanes
//! of 64 bits; such loops fold nothing.

use super::asm::*;
use super::functions::{DOWN, LARGEST, SMALLEST, TO_NEAREST, UP};
use super::select::Step;
use super::wide::{Arg, Wide};
use crate::op::TileOp;
use meshwright_ir::DType;
use meshwright_ir::op::{BinaryOp, UnaryOp};

const SIGN: u64 = 1 << 63;

/// Whether values of the type have lanes of 64 bits.
pub fn is_double(dtype: DType) -> bool {
    matches!(dtype, DType::F64) || is_long(dtype)
}

fn is_long(dtype: DType) -> bool {
    matches!(dtype, DType::S64 | DType::U64)
}

/// Types of an op's operands and result, as far as they are not those of other ops.
fn types(op: &TileOp) -> [DType; 2] {
    match op {
        TileOp::Unary { ty, .. }
        | TileOp::Binary { ty, .. }
        | TileOp::Compare { ty, .. }
        | TileOp::Select { ty, .. }
        | TileOp::Precision { ty, .. }
        | TileOp::Splat { ty, .. } => [*ty; 2],
        TileOp::Convert { from, to_ty, .. } | TileOp::Bitcast { from, to_ty, .. } => [*from, *to_ty],
    }
}

/// Whether a loop has values of 32 bits, and whether it has some of 64.
pub fn sizes(ops: &[TileOp], ports: impl Iterator<Item = DType>) -> (bool, bool) {
    let types = ops.iter().flat_map(types).chain(ports).filter(|ty| *ty != DType::Pred);
    types.fold((false, false), |(single, double), ty| (single || !is_double(ty), double || is_double(ty)))
}

impl Step<'_> {
    pub fn of_one_double(&mut self, op: UnaryOp, ty: DType, to: Wide, a: Wide) -> Option<()> {
        match (op, ty) {
            (UnaryOp::Copy, _) => self.put_one(MOVE, to, Arg::Each(a)),
            (UnaryOp::Not, DType::Pred) => {
                let ones = self.asm.constant(u32::MAX);
                self.put(XOR, to, a, ones);
            }
            (UnaryOp::Negate, DType::F64) => {
                let sign = self.asm.long(SIGN);
                self.put(XOR, to, a, sign);
            }
            (UnaryOp::Abs, DType::F64) => {
                let rest = self.asm.long(!SIGN);
                self.put(AND, to, a, rest);
            }
            (UnaryOp::Square, DType::F64) => self.put(MUL, to, a, Arg::Each(a)),
            (UnaryOp::Sqrt, DType::F64) => self.put_one(SQRT, to, Arg::Each(a)),
            (UnaryOp::Rsqrt, DType::F64) => {
                let (one, bits) = (self.take()?, self.asm.long(1f64.to_bits()));
                self.repeat_of(one, bits);
                self.put_one(SQRT, to, Arg::Each(a));
                self.put(DIV, to, one, Arg::Each(to));
                self.give([one]);
            }
            (UnaryOp::Floor, DType::F64) => self.put_one_imm(TO_WHOLE, to, a, DOWN),
            (UnaryOp::Ceil, DType::F64) => self.put_one_imm(TO_WHOLE, to, a, UP),
            (UnaryOp::RoundNearestEven, DType::F64) => self.put_one_imm(TO_WHOLE, to, a, TO_NEAREST),
            _ => return None,
        }
        Some(())
    }

    pub fn of_two_double(&mut self, op: BinaryOp, ty: DType, to: Wide, a: Wide, b: Wide) -> Option<()> {
        use BinaryOp as B;
        let inst = match (op, ty) {
            (B::Maximum, DType::F64) => return self.extreme(LARGEST, to, a, b),
            (B::Minimum, DType::F64) => return self.extreme(SMALLEST, to, a, b),
            (B::Add, DType::F64) => ADD,
            (B::Subtract, DType::F64) => SUB,
            (B::Multiply, DType::F64) => MUL,
            (B::Divide, DType::F64) => DIV,
            (B::Add, ty) if is_long(ty) => INT_ADD,
            (B::Subtract, ty) if is_long(ty) => INT_SUB,
            (B::Multiply, ty) if is_long(ty) => INT_MUL,
            (B::Maximum, DType::S64) => SIGNED_MAX,
            (B::Minimum, DType::S64) => SIGNED_MIN,
            (B::Maximum, DType::U64) => UNSIGNED_MAX,
            (B::Minimum, DType::U64) => UNSIGNED_MIN,
            (B::ShiftLeft, ty) if is_long(ty) => SHIFT_LEFT,
            (B::ShiftRightLogical, ty) if is_long(ty) => SHIFT_RIGHT,
            (B::ShiftRightArithmetic, ty) if is_long(ty) => SHIFT_SIGNED_RIGHT,
            (B::And, ty) if is_long(ty) => AND,
            (B::Or, ty) if is_long(ty) => OR,
            (B::Xor, ty) if is_long(ty) || ty == DType::Pred => XOR,
            (B::Add | B::Or | B::Maximum, DType::Pred) => OR,
            (B::Multiply | B::And | B::Minimum, DType::Pred) => AND,
            _ => return None,
        };
        self.put(inst, to, a, Arg::Each(b));
        Some(())
    }

    pub fn convert_double(&mut self, from: DType, into: DType, to: Wide, a: Wide) -> Option<()> {
        let bits = match (from, into) {
            (DType::S64, DType::F64) => {
                self.put_one(DOUBLE_OF_INT, to, Arg::Each(a));
                return Some(());
            }
            (DType::U64, DType::F64) => {
                self.put_one(DOUBLE_OF_UNSIGNED, to, Arg::Each(a));
                return Some(());
            }
            (DType::Pred, DType::F64) => 1f64.to_bits(),
            (DType::Pred, into) if is_long(into) => 1,
            (DType::S64, DType::U64) | (DType::U64, DType::S64) => u64::MAX,
            _ => return None,
        };
        let kept = self.asm.long(bits);
        self.put(AND, to, a, kept);
        Some(())
    }

    /// Between types of 32 and of 64 bits.
    pub fn convert_size(&mut self, from: DType, into: DType, to: Wide, a: Wide) -> Option<()> {
        let is_int = |ty: DType| matches!(ty, DType::S32 | DType::U32);
        self.asm.set_double((from, into) == (DType::F64, DType::F32));
        match (from, into) {
            (DType::F32 | DType::BF16 | DType::F16, DType::F64) | (DType::F64, DType::F32) => {
                self.put_one(OTHER_FLOAT, to, Arg::Each(a));
            }
            (DType::S32, DType::F64) => self.put_one(DOUBLE_OF_INT, to, Arg::Each(a)),
            (DType::U32, DType::F64) => self.put_one(DOUBLE_OF_UNSIGNED, to, Arg::Each(a)),
            (DType::S32, into) if is_long(into) => self.put_one(WIDEN_SIGNED, to, Arg::Each(a)),
            (DType::U32, into) if is_long(into) => self.put_one(WIDEN_UNSIGNED, to, Arg::Each(a)),
            (from, into) if is_long(from) && is_int(into) => self.half_lanes(to, a),
            (DType::Pred, into) => {
                self.half_lanes(to, a);
                return self.convert(DType::Pred, into, to, to);
            }
            _ => return None,
        }
        Some(())
    }

    /// The lower halves of lanes of 64 bits, side by side.
    pub fn half_lanes(&mut self, to: Wide, a: Wide) {
        self.asm.set_double(false);
        // The result is the last operand.
        self.put_one(NARROW_64, a, Arg::Each(to));
    }
}
