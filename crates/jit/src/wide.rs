//! Several vectors at once: an instruction is written for each of them before the next instruction is.
//!
//! The lanes of one vector wait for each other (an exponential is a chain of a dozen instructions); those of several do
//! not, and the CPU sees that only if they stand close together.

use super::asm::*;
use super::select::Step;

/// Most vectors at once.
pub const MOST: usize = 4;

/// The registers of one value, one for each of the vectors.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Wide(pub [Vector; MOST]);

/// The last operand of an instruction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Arg {
    Each(Wide),
    /// The same for all vectors, or a stream.
    All(Rm),
}

impl From<Rm> for Arg {
    fn from(rm: Rm) -> Arg {
        Arg::All(rm)
    }
}

/// [`BITWISE`]: what is set in the first operand, or in both others.
const OR_BOTH: u8 = 0xf8;

/// The mask of the last step's lanes of a vector.
fn mask(rest: bool, vector: usize) -> Mask {
    RESTS.get(vector).copied().filter(|_| rest).unwrap_or(0)
}

impl Step<'_> {
    pub fn each(&mut self, mut write: impl FnMut(&mut Asm, usize)) {
        (0..self.at_once).for_each(|i| write(self.asm, i));
    }

    /// The last operand of each vector.
    pub fn each_of(&mut self, b: Arg, mut write: impl FnMut(&mut Asm, usize, Rm)) {
        let from = self.from;
        self.each(|asm, i| {
            let b = b.of(asm, i, from);
            write(asm, i, b);
        });
    }

    pub fn put(&mut self, inst: Inst, to: Wide, a: Wide, b: impl Into<Arg>) {
        let b = b.into();
        self.each_of(b, |asm, i, b| asm.emit(inst, to.0[i], a.0[i], b));
    }

    pub fn put_imm(&mut self, inst: Inst, to: Wide, a: Wide, b: impl Into<Arg>, imm: u8) {
        let b = b.into();
        self.each_of(b, |asm, i, b| asm.emit_imm(inst, to.0[i], a.0[i], b, imm));
    }

    /// Of one operand.
    pub fn put_one(&mut self, inst: Inst, to: Wide, a: impl Into<Arg>) {
        let a = a.into();
        self.each_of(a, |asm, i, a| asm.emit(inst, to.0[i], 0, a));
    }

    /// Of one operand, with a number.
    pub fn put_one_imm(&mut self, inst: Inst, to: Wide, a: Wide, imm: u8) {
        self.put_imm(inst, to, Wide([0; MOST]), Arg::Each(a), imm);
    }

    /// A load or a store; of the shorter last step, only lanes that are there.
    pub fn put_stream(&mut self, inst: Inst, register: Wide, width: u8, is_load: bool) -> Option<()> {
        let (stream, rest) = (Arg::All(Rm::Stream(width, 0)), self.rest);
        match self.asm.target {
            Target::Avx2 if rest && width >= 4 => return self.put_rest(register, width, is_load),
            Target::Avx2 | Target::Neon if rest => self.put_aside(inst, register, width, is_load, None),
            Target::Avx2 | Target::Neon => self.put_one(inst, register, stream),
            Target::Avx512 => self.each_of(stream, |asm, i, stream| {
                asm.masked(inst, register.0[i], 0, stream, mask(rest, i), rest && is_load);
            }),
        }
        Some(())
    }

    /// A store that takes a number.
    pub fn put_stream_imm(&mut self, inst: Inst, register: Wide, width: u8, imm: u8) {
        if !self.asm.target.has_masks() && self.rest {
            return self.put_aside(inst, register, width, false, Some(imm));
        }
        let (stream, rest) = (Arg::All(Rm::Stream(width, 0)), self.rest);
        self.each_of(stream, |asm, i, stream| {
            asm.write(inst, (register.0[i], 0, stream), Some(imm), (mask(rest, i), false));
        });
    }

    /// Of the last step, where there are no masks: lanes that are there.
    fn put_rest(&mut self, register: Wide, width: u8, is_load: bool) -> Option<()> {
        let there = self.lanes_there()?;
        let stream = Arg::All(Rm::Stream(width, 0));
        self.put(if is_load { LOAD_WHERE } else { STORE_WHERE }, register, there, stream);
        self.give([there]);
        Some(())
    }

    /// Lanes of ones where elements of the last step are.
    pub fn lanes_there(&mut self) -> Option<Wide> {
        let (there, from) = (self.take()?, self.from);
        self.each(|asm, i| asm.lanes_of_rest(there.0[i], (from + i) * asm.lanes()));
        Some(there)
    }

    /// A load or store of the last step for which there is no such instruction: on whole vectors put aside.
    fn put_aside(&mut self, inst: Inst, register: Wide, width: u8, is_load: bool, imm: Option<u8>) {
        let (from, lanes) = (self.from, self.asm.lanes());
        let elements = (from * lanes, (from + self.at_once) * lanes);
        if is_load {
            self.asm.copy_rest(width, elements, false);
        }
        self.each(|asm, i| {
            let place = Rm::Aside(((from + i) * lanes) as i32 * i32::from(width));
            asm.write(inst, (register.0[i], 0, place), imm, NO_MASK);
        });
        if !is_load {
            self.asm.copy_rest(width, elements, true);
        }
    }

    /// Load 16 bits of each lane into its upper half: from a line at a time where there are two vectors of it.
    pub fn put_upper_halves(&mut self, to: Wide) -> Option<()> {
        if self.asm.target == Target::Neon {
            return self.put_stream(LOAD_UPPER, to, 2, true);
        }
        if !self.asm.target.has_masks() || !self.has_lines() {
            self.put_stream(WIDEN_16, to, 2, true)?;
            self.shift_left(to, to, 16);
            return Some(());
        }
        let [one, other, _] = self.asm.halves_of_lines();
        let from = self.from;
        self.each(|asm, i| {
            let (to, line) = (to.0[i], Rm::Stream(2, ((from + i) / 2 * 2 * LANES) as u8));
            asm.emit(LOAD, to, 0, [one, other][i % 2]);
            asm.masked(PICK_16, to, to, line, UPPER, true);
        });
        Some(())
    }

    /// Store the upper halves of lanes, by lines where there are two vectors of one; others may go past the caches.
    pub fn take_upper_halves(&mut self, x: Wide, past: bool) -> Option<()> {
        let t = self.take()?;
        match (self.asm.target, self.has_lines()) {
            (Target::Avx2, pairs) => {
                self.shift_right(t, x, 16);
                self.put_packed(t, pairs, past);
            }
            (Target::Avx512, true) => {
                (0..self.at_once).step_by(2).for_each(|i| self.put_line(i, t, x, past));
            }
            (Target::Neon, true) => self.each_other(|asm, i, line| {
                asm.emit(UPPER_HALVES, t.0[i], x.0[i], Rm::Vector(x.0[i + 1]));
                asm.emit(STORE, t.0[i], 0, line);
            }),
            (Target::Neon, false) => self.put_stream(STORE_UPPER, x, 2, false)?,
            (Target::Avx512, false) => {
                self.shift_right(t, x, 16);
                self.put_stream(NARROW_16, t, 2, false)?;
            }
        }
        self.give([t]);
        Some(())
    }

    /// Store the lower halves of lanes, two vectors as one or each by itself; what is in the vectors is lost.
    fn put_packed(&mut self, x: Wide, pairs: bool, past: bool) {
        const SORTED: u8 = 0xd8;
        if !pairs {
            self.put(PACK_32, x, x, Arg::Each(x));
            self.put_one_imm(PERMUTE_64, x, x, SORTED);
            return self.store_part(STORE_HALF, x, 2);
        }
        self.each_other(|asm, i, line| {
            let one = x.0[i];
            asm.emit(PACK_32, one, one, Rm::Vector(x.0[i + 1]));
            asm.emit_imm(PERMUTE_64, one, 0, Rm::Vector(one), SORTED);
            asm.emit(if past { STORE_PAST_CACHES } else { STORE }, one, 0, line);
        });
    }

    /// Every other vector, and where 16 bits of each lane of it and the next one lie.
    fn each_other(&mut self, mut write: impl FnMut(&mut Asm, usize, Rm)) {
        for i in (0..self.at_once).step_by(2) {
            let line = Rm::Stream(2, ((self.from + i) * self.asm.lanes()) as u8);
            write(self.asm, i, line);
        }
    }

    /// Store so much of each vector as an instruction does: all its elements.
    fn store_part(&mut self, inst: Inst, x: Wide, width: u8) {
        if self.rest {
            self.put_aside(inst, x, width, false, None);
        } else {
            self.put_one(inst, x, Arg::All(Rm::Stream(width, 0)));
        }
    }

    /// Store lanes below two to the power of 16 as halves of them; what is in the vectors is lost.
    pub fn put_halves(&mut self, x: Wide, past: bool) {
        self.put_packed(x, self.has_lines(), past);
    }

    /// Store lanes below 256 as bytes; what is in the vectors is lost.
    pub fn put_bytes(&mut self, x: Wide) -> Option<()> {
        if self.asm.target != Target::Avx2 {
            return self.put_stream(NARROW_8, x, 1, false);
        }
        self.put(PACK_32, x, x, Arg::Each(x));
        self.put(PACK_16, x, x, Arg::Each(x));
        // Four lanes are at the start of each half, twice.
        self.put_one_imm(PERMUTE_64, x, x, 0x08);
        let (order, inst) = if self.asm.double {
            ([0x0a_08_02_00, 0], STORE_32)
        } else {
            ([0x03_02_01_00, 0x0b_0a_09_08], STORE_64)
        };
        let order = self.asm.numbers_of(order);
        self.put(PICK_BYTES, x, x, order);
        self.store_part(inst, x, 1);
        Some(())
    }

    /// Store the upper halves of two vectors from one on.
    fn put_line(&mut self, i: usize, Wide(t): Wide, Wide(x): Wide, past: bool) {
        let (both, order, asm) = (t[i], t[i + 1], &mut *self.asm);
        let (top, [_, _, sorted]) = (asm.constant(0xffff_0000), asm.halves_of_lines());
        asm.emit_imm(SHIFTS, TO_THE_RIGHT, both, Rm::Vector(x[i]), 16);
        asm.emit_imm(BITWISE, both, x[i + 1], top, OR_BOTH);
        asm.emit(LOAD, order, 0, sorted);
        asm.emit(PICK_16, both, order, Rm::Vector(both));
        let line = Rm::Stream(2, ((self.from + i) * LANES) as u8);
        asm.emit(if past { STORE_PAST_CACHES } else { STORE }, both, 0, line);
    }

    /// Whether vectors of the step lie two to a line.
    fn has_lines(&self) -> bool {
        self.at_once > 1 && !self.rest && !self.asm.is_mixed()
    }

    pub fn shift_left(&mut self, to: Wide, a: Wide, by: u8) {
        self.shift(TO_THE_LEFT, to, a, by);
    }

    pub fn shift_right(&mut self, to: Wide, a: Wide, by: u8) {
        self.shift(TO_THE_RIGHT, to, a, by);
    }

    /// Of whole numbers of 32 bits.
    pub fn shift_signed_right(&mut self, to: Wide, a: Wide, by: u8) {
        self.shift(TO_THE_RIGHT_SIGNED, to, a, by);
    }

    fn shift(&mut self, which: u8, to: Wide, a: Wide, by: u8) {
        self.each(|asm, i| {
            asm.emit_imm(SHIFTS, which, to.0[i], Rm::Vector(a.0[i]), by);
        });
    }
}

impl Arg {
    /// Of vector `i`; `from`: how many vectors of the loop's step come before the first one.
    fn of(self, asm: &Asm, i: usize, from: usize) -> Rm {
        match self {
            Arg::Each(Wide(vectors)) => Rm::Vector(vectors[i]),
            Arg::All(Rm::Stream(width, first)) => Rm::Stream(width, first + ((from + i) * asm.lanes()) as u8),
            Arg::All(other) => other,
        }
    }
}
