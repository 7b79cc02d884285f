//! Whole numbers of 8 and 16 bits: held in lanes of 32, as tiles hold them, with the sign that their type gives them.
//!
//! What leaves a type is brought back ([`Step::wrapped`]); what cannot leave it is computed as if it had 32 bits.

use super::asm::*;
use super::select::Step;
use super::wide::{Arg, Wide};
use meshwright_ir::DType;
use meshwright_ir::op::{BinaryOp, UnaryOp};

/// Whether values of the type are whole numbers in lanes that they do not fill.
pub fn is_narrow(dtype: DType) -> bool {
    matches!(dtype, DType::S8 | DType::U8 | DType::S16 | DType::U16)
}

fn is_signed(dtype: DType) -> bool {
    matches!(dtype, DType::S8 | DType::S16 | DType::S32)
}

/// Whole numbers that take a lane of 32 bits or less.
pub fn is_whole(dtype: DType) -> bool {
    is_narrow(dtype) || matches!(dtype, DType::S32 | DType::U32)
}

/// Bits of a lane that a type does not fill.
fn unused(dtype: DType) -> u8 {
    32 - dtype.bits() as u8
}

/// What a lane holds of a number that is given by its bytes.
pub fn held(dtype: DType, [a, b]: [u8; 2]) -> u32 {
    match dtype {
        DType::S8 => i32::from(a as i8) as u32,
        DType::U8 => u32::from(a),
        DType::S16 => i32::from(i16::from_le_bytes([a, b])) as u32,
        _ => u32::from(u16::from_le_bytes([a, b])),
    }
}

impl Step<'_> {
    /// Load numbers that lie side by side.
    pub fn load_narrow(&mut self, ty: DType, to: Wide) -> Option<()> {
        let inst = match ty {
            DType::S8 => WIDEN_SIGNED_8,
            DType::U8 => WIDEN_8,
            DType::S16 => WIDEN_SIGNED_16,
            _ => WIDEN_16,
        };
        self.put_stream(inst, to, ty.bytes() as u8, true)
    }

    /// One number for all lanes; of those that are as long as [`REPEAT_16`] reads.
    pub fn repeat_narrow(&mut self, ty: DType, to: Wide) -> Option<()> {
        if ty.bits() != 16 {
            return None;
        }
        self.put_one(REPEAT_16, to, Rm::Element);
        self.wrapped(ty, to, to);
        Some(())
    }

    /// Store the lower parts of lanes.
    pub fn store_narrow(&mut self, ty: DType, x: Wide, past: bool) -> Option<()> {
        let (t, bits) = (self.take()?, ty.bits());
        match (self.asm.target, bits) {
            (Target::Avx512 | Target::Neon, 8) => self.put_stream(NARROW_8, x, 1, false)?,
            (Target::Avx512 | Target::Neon, _) => self.put_stream(NARROW_16, x, 2, false)?,
            (Target::Avx2, _) => {
                let kept = self.asm.constant(u32::MAX >> unused(ty));
                self.put(AND, t, x, kept);
                if bits == 8 {
                    self.put_bytes(t)?;
                } else {
                    self.put_halves(t, past);
                }
            }
        }
        self.give([t]);
        Some(())
    }

    /// The number of a type that the lower bits are.
    pub fn wrapped(&mut self, ty: DType, to: Wide, x: Wide) {
        if is_narrow(ty) && is_signed(ty) {
            self.shift_left(to, x, unused(ty));
            self.shift_signed_right(to, to, unused(ty));
        } else {
            self.lower_bits(ty, to, x);
        }
    }

    /// The lower bits, and none above them.
    fn lower_bits(&mut self, ty: DType, to: Wide, x: Wide) {
        if is_narrow(ty) {
            let kept = self.asm.constant(u32::MAX >> unused(ty));
            self.put(AND, to, x, kept);
        } else if to != x {
            self.put_one(MOVE, to, Arg::Each(x));
        }
    }

    pub fn of_one_whole(&mut self, op: UnaryOp, ty: DType, to: Wide, a: Wide) -> Option<()> {
        match op {
            UnaryOp::Copy => self.put_one(MOVE, to, Arg::Each(a)),
            UnaryOp::Not => {
                let ones = self.asm.constant(u32::MAX);
                self.put(XOR, to, a, ones);
                self.wrapped(ty, to, to);
            }
            UnaryOp::Negate => {
                let zero = self.take()?;
                self.put(XOR, zero, zero, Arg::Each(zero));
                self.put(INT_SUB, to, zero, Arg::Each(a));
                self.give([zero]);
                self.wrapped(ty, to, to);
            }
            _ => return None,
        }
        Some(())
    }

    pub fn of_two_whole(&mut self, op: BinaryOp, ty: DType, to: Wide, a: Wide, b: Wide) -> Option<()> {
        use BinaryOp as B;
        let inst = match op {
            B::Add => INT_ADD,
            B::Subtract => INT_SUB,
            B::Multiply => INT_MUL,
            B::Maximum if is_signed(ty) => SIGNED_MAX,
            B::Minimum if is_signed(ty) => SIGNED_MIN,
            B::Maximum => UNSIGNED_MAX,
            B::Minimum => UNSIGNED_MIN,
            B::ShiftLeft => SHIFT_LEFT,
            B::ShiftRightLogical if !is_narrow(ty) => SHIFT_RIGHT,
            B::ShiftRightLogical => {
                self.lower_bits(ty, to, a);
                self.put(SHIFT_RIGHT, to, to, Arg::Each(b));
                self.wrapped(ty, to, to);
                return Some(());
            }
            // What has no sign keeps its uppermost bit, which is not that of the lane.
            B::ShiftRightArithmetic if is_narrow(ty) && !is_signed(ty) => return None,
            B::ShiftRightArithmetic => SHIFT_SIGNED_RIGHT,
            B::And => AND,
            B::Or => OR,
            B::Xor => XOR,
            _ => return None,
        };
        self.put(inst, to, a, Arg::Each(b));
        if matches!(op, B::Add | B::Subtract | B::Multiply | B::ShiftLeft) {
            self.wrapped(ty, to, to);
        }
        Some(())
    }

    /// From whole numbers by value, to whole numbers and to floats that hold them, or are rounded once.
    pub fn convert_whole(&mut self, from: DType, into: DType, to: Wide, a: Wide) -> Option<()> {
        match into {
            into if is_whole(into) => self.wrapped(into, to, a),
            DType::F32 if from == DType::U32 => return self.float_of_unsigned(to, a),
            DType::F32 => self.put_one(FLOAT_OF_INT, to, Arg::Each(a)),
            DType::BF16 | DType::F16 if is_narrow(from) => {
                self.put_one(FLOAT_OF_INT, to, Arg::Each(a));
                return self.rounded(into, to, to);
            }
            _ => return None,
        }
        Some(())
    }

    /// By bits, between types of 8 or of 16.
    pub fn bitcast_narrow(&mut self, from: DType, into: DType, to: Wide, a: Wide) -> Option<()> {
        match (from, into) {
            (DType::U16 | DType::S16, DType::BF16) => self.shift_left(to, a, 16),
            (DType::BF16, DType::U16) => self.shift_right(to, a, 16),
            (DType::BF16, DType::S16) => self.shift_signed_right(to, a, 16),
            (from, into) if is_narrow(from) && is_narrow(into) && from.bits() == into.bits() => {
                self.wrapped(into, to, a);
            }
            _ => return None,
        }
        Some(())
    }
}
