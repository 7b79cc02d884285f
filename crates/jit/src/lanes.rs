//! Lanes for which something holds: in masks, or as lanes of ones where there are no masks.

use super::asm::*;
use super::select::Step;
use super::wide::{Arg, Wide};
use meshwright_ir::DType;
use meshwright_ir::op::Direction;

/// The first of the masks between two instructions, one for each vector.
pub const BETWEEN: Mask = 2;

/// [`COMPARE`]; what is not so may be no number.
pub const EQUAL: u8 = 0x00;
pub const UNORDERED: u8 = 0x03;
pub const NOT_EQUAL: u8 = 0x04;
pub const LESS: u8 = 0x11;
pub const NOT_LESS: u8 = 0x15;
pub const NOT_AT_LEAST: u8 = 0x19;

/// The vectors that hold what a comparison found; none where masks do.
pub struct Where(Option<Wide>);

impl Step<'_> {
    /// Compare floats.
    pub fn compare(&mut self, a: Wide, b: impl Into<Arg>, how: u8) -> Option<Where> {
        let b = b.into();
        match self.asm.target {
            Target::Avx2 | Target::Neon => {
                let to = self.take()?;
                self.put_imm(COMPARE, to, a, b, how);
                Some(Where(Some(to)))
            }
            Target::Avx512 => Some(self.compare_into_masks(COMPARE, a, b, how)),
        }
    }

    pub fn compare_into_masks(&mut self, inst: Inst, a: Wide, b: Arg, how: u8) -> Where {
        self.each_of(b, |asm, i, b| asm.emit_imm(inst, BETWEEN + i as Mask, a.0[i], b, how));
        Where(None)
    }

    /// Compare numbers of a type.
    pub fn compare_as(&mut self, direction: Direction, ty: DType, a: Wide, b: Wide) -> Option<Where> {
        let (float, whole) = match direction {
            Direction::Eq => (0x00, 0),
            Direction::Ne => (0x04, 4),
            Direction::Lt => (0x11, 1),
            Direction::Le => (0x12, 2),
            Direction::Gt => (0x1e, 6),
            Direction::Ge => (0x1d, 5),
        };
        let signed = match ty {
            DType::F32 | DType::BF16 | DType::F16 | DType::F64 => {
                return self.compare(a, Arg::Each(b), float);
            }
            // Narrow numbers without a sign leave that of their lanes alone.
            DType::S8 | DType::U8 | DType::S16 | DType::U16 | DType::S32 | DType::S64 => true,
            DType::U32 | DType::U64 => false,
            _ => return None,
        };
        match self.asm.target {
            Target::Avx2 | Target::Neon => self.compare_whole(direction, signed, a, b),
            Target::Avx512 => {
                let inst = if signed { COMPARE_SIGNED } else { COMPARE_UNSIGNED };
                Some(self.compare_into_masks(inst, a, Arg::Each(b), whole))
            }
        }
    }

    /// Where there is only "equal" and "greater", with signs.
    fn compare_whole(&mut self, direction: Direction, signed: bool, a: Wide, b: Wide) -> Option<Where> {
        let (inst, swapped, other) = match direction {
            Direction::Eq => (INT_EQUAL, false, false),
            Direction::Ne => (INT_EQUAL, false, true),
            Direction::Gt => (INT_GREATER, false, false),
            Direction::Le => (INT_GREATER, false, true),
            Direction::Lt => (INT_GREATER, true, false),
            Direction::Ge => (INT_GREATER, true, true),
        };
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        let to = self.take()?;
        if !signed && inst == INT_GREATER && self.asm.target == Target::Neon {
            self.put(UNSIGNED_GREATER, to, a, Arg::Each(b));
        } else if signed || inst == INT_EQUAL {
            self.put(inst, to, a, Arg::Each(b));
        } else {
            let (flipped, sign) = (self.take()?, self.sign());
            self.put(XOR, to, a, sign);
            self.put(XOR, flipped, b, sign);
            self.put(inst, to, to, Arg::Each(flipped));
            self.give([flipped]);
        }
        if other {
            let ones = self.asm.constant(u32::MAX);
            self.put(XOR, to, to, ones);
        }
        Some(Where(Some(to)))
    }

    /// The uppermost bit of a lane.
    fn sign(&mut self) -> Rm {
        let bit = if self.asm.double { 1 << 63 } else { 1 << 31 };
        self.asm.long(bit)
    }

    /// Lanes that have a bit in common with another operand.
    pub fn test(&mut self, a: Wide, b: impl Into<Arg>) -> Where {
        let b = b.into();
        self.each_of(b, |asm, i, b| asm.emit(TEST, BETWEEN + i as Mask, a.0[i], b));
        Where(None)
    }

    /// Compute where something holds; other lanes are kept, or zero.
    pub fn put_where(
        &mut self,
        holds: &Where,
        inst: Inst,
        (to, a): (Wide, Wide),
        b: impl Into<Arg>,
        zero: bool,
    ) -> Option<()> {
        let b = b.into();
        let Some(lanes) = holds.0 else {
            self.each_of(b, |asm, i, b| asm.masked(inst, to.0[i], a.0[i], b, BETWEEN + i as Mask, zero));
            return Some(());
        };
        if zero {
            self.put(inst, to, a, b);
            self.put(AND, to, to, Arg::Each(lanes));
            return Some(());
        }
        let found = self.take()?;
        self.put(inst, found, a, b);
        self.blend(to, to, found, lanes);
        self.give([found]);
        Some(())
    }

    /// Let other values be where something holds.
    pub fn move_where(&mut self, holds: &Where, to: Wide, from: Wide) {
        match holds.0 {
            Some(lanes) => self.blend(to, to, from, lanes),
            None => {
                let from = Arg::Each(from);
                self.each_of(from, |asm, i, b| asm.masked(MOVE, to.0[i], 0, b, BETWEEN + i as Mask, false));
            }
        }
    }

    /// Values where something holds, zero elsewhere.
    pub fn zero_unless(&mut self, holds: &Where, to: Wide, from: Wide) {
        let from = Arg::Each(from);
        match holds.0 {
            Some(lanes) => self.put(AND, to, lanes, from),
            None => {
                self.each_of(from, |asm, i, b| asm.masked(MOVE, to.0[i], 0, b, BETWEEN + i as Mask, true))
            }
        }
    }

    /// The one, or the other where lanes are ones, where there are no masks.
    pub fn blend(&mut self, to: Wide, one: Wide, other: Wide, lanes: Wide) {
        self.each(|asm, i| asm.blend(to.0[i], one.0[i], Rm::Vector(other.0[i]), lanes.0[i]));
    }

    /// Lanes of ones where something holds.
    pub fn lanes_of(&mut self, holds: Where, to: Wide) {
        match holds.0 {
            Some(lanes) => {
                self.put_one(MOVE, to, Arg::Each(lanes));
                self.give([lanes]);
            }
            None => self.each(|asm, i| {
                asm.emit(LANES_OF_MASK, to.0[i], 0, Rm::Vector(BETWEEN + i as Mask));
            }),
        }
    }

    /// What a comparison found is not asked for any more.
    pub fn forget(&mut self, holds: Where) {
        self.give_all(holds.0);
    }

    /// One value where all bits of a lane are set, the other where none is.
    pub fn choose(&mut self, to: Wide, lanes: Wide, one: Wide, other: Wide) {
        match self.asm.target {
            Target::Avx2 | Target::Neon => self.blend(to, other, one, lanes),
            Target::Avx512 => {
                if to != lanes {
                    self.put_one(MOVE, to, Arg::Each(lanes));
                }
                self.put_imm(BITWISE, to, one, Arg::Each(other), CHOOSE);
            }
        }
    }
}

/// [`BITWISE`]: the second operand where the first is set, else the third.
pub const CHOOSE: u8 = 0xca;
