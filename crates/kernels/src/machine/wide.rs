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

/// Which of the [`SHIFTS`].
const TO_THE_LEFT: u8 = 6;
const TO_THE_RIGHT: u8 = 2;

/// [`BITWISE`]: what is set in the first operand, or in both others.
const OR_BOTH: u8 = 0xf8;

/// The first of the masks between two instructions, one for each vector.
pub const BETWEEN: Mask = 2;

impl Step<'_> {
    fn each(&mut self, mut write: impl FnMut(&mut Asm, usize)) {
        (0..self.at_once).for_each(|i| write(self.asm, i));
    }

    /// The last operand of each vector.
    fn each_of(&mut self, b: Arg, mut write: impl FnMut(&mut Asm, usize, Rm)) {
        let from = self.from;
        self.each(|asm, i| {
            let b = b.of(asm, i, from);
            write(asm, i, b);
        });
    }

    pub fn put(&mut self, inst: Inst, to: Wide, a: Wide, b: impl Into<Arg>) {
        let b = b.into();
        self.each_of(b, |asm, i, b| asm.masked(inst, to.0[i], a.0[i], b, 0, false));
    }

    pub fn put_imm(&mut self, inst: Inst, to: Wide, a: Wide, b: impl Into<Arg>, imm: u8) {
        let b = b.into();
        self.each_of(b, |asm, i, b| {
            asm.masked(inst, to.0[i], a.0[i], b, 0, false);
            asm.code.push(imm);
        });
    }

    /// Of one operand.
    pub fn put_one(&mut self, inst: Inst, to: Wide, a: impl Into<Arg>) {
        let a = a.into();
        self.each_of(a, |asm, i, a| asm.masked(inst, to.0[i], 0, a, 0, false));
    }

    /// Of one operand, with a number.
    pub fn put_one_imm(&mut self, inst: Inst, to: Wide, a: Wide, imm: u8) {
        self.put_imm(inst, to, Wide([0; MOST]), Arg::Each(a), imm);
    }

    /// A load or a store; of the shorter last step, only lanes that are there.
    pub fn put_stream(&mut self, inst: Inst, register: Wide, width: u8, is_load: bool) {
        let (mask, zero) = if self.rest { (REST, is_load) } else { (0, false) };
        let stream = Arg::All(Rm::Stream(width, 0));
        self.each_of(stream, |asm, i, stream| asm.masked(inst, register.0[i], 0, stream, mask, zero));
    }

    /// A store that takes a number.
    pub fn put_stream_imm(&mut self, inst: Inst, register: Wide, width: u8, imm: u8) {
        let (mask, stream) = (if self.rest { REST } else { 0 }, Arg::All(Rm::Stream(width, 0)));
        self.each_of(stream, |asm, i, stream| {
            asm.masked(inst, register.0[i], 0, stream, mask, false);
            asm.code.push(imm);
        });
    }

    /// Load 16 bits of each lane into its upper half: from a line at a time where there are two vectors of it.
    pub fn put_upper_halves(&mut self, to: Wide) {
        if !self.has_lines() {
            self.put_stream(WIDEN_16, to, 2, true);
            return self.shift_left(to, to, 16);
        }
        let [one, other, _] = self.asm.halves_of_lines();
        let from = self.from;
        self.each(|asm, i| {
            let (to, line) = (to.0[i], Rm::Stream(2, ((from + i) / 2 * 2 * LANES) as u8));
            asm.masked(LOAD, to, 0, [one, other][i % 2], 0, false);
            asm.masked(PICK_16, to, to, line, UPPER, true);
        });
    }

    /// Store the upper halves of lanes, by lines where there are two vectors of one; others may go past the caches.
    pub fn take_upper_halves(&mut self, x: Wide, past: bool) -> Option<()> {
        let t = self.take()?;
        if self.has_lines() {
            (0..self.at_once).step_by(2).for_each(|i| self.put_line(i, t, x, past))
        } else {
            self.shift_right(t, x, 16);
            self.put_stream(NARROW_16, t, 2, false);
        }
        self.give([t]);
        Some(())
    }

    /// Store the upper halves of two vectors from one on.
    fn put_line(&mut self, i: usize, Wide(t): Wide, Wide(x): Wide, past: bool) {
        let (both, order, asm) = (t[i], t[i + 1], &mut *self.asm);
        let (top, [_, _, sorted]) = (asm.constant(0xffff_0000), asm.halves_of_lines());
        asm.masked(SHIFTS, TO_THE_RIGHT, both, Rm::Vector(x[i]), 0, false);
        asm.code.push(16);
        asm.masked(BITWISE, both, x[i + 1], top, 0, false);
        asm.code.push(OR_BOTH);
        asm.masked(LOAD, order, 0, sorted, 0, false);
        asm.masked(PICK_16, both, order, Rm::Vector(both), 0, false);
        let line = Rm::Stream(2, ((self.from + i) * LANES) as u8);
        asm.masked(if past { STORE_PAST_CACHES } else { STORE }, both, 0, line, 0, false);
    }

    /// Whether vectors of the step lie two to a line.
    fn has_lines(&self) -> bool {
        self.at_once > 1 && !self.rest && !self.asm.is_mixed()
    }

    /// Compare into the masks.
    pub fn compare(&mut self, inst: Inst, a: Wide, b: impl Into<Arg>, how: u8) {
        let b = b.into();
        self.each_of(b, |asm, i, b| {
            asm.masked(inst, BETWEEN + i as Mask, a.0[i], b, 0, false);
            asm.code.push(how);
        });
    }

    /// Let lanes be in the masks that have a bit in common with another operand.
    pub fn test(&mut self, a: Wide, b: impl Into<Arg>) {
        let b = b.into();
        self.each_of(b, |asm, i, b| asm.masked(TEST, BETWEEN + i as Mask, a.0[i], b, 0, false));
    }

    /// Where the masks are set; other lanes are kept, or zero.
    pub fn put_where(&mut self, inst: Inst, to: Wide, a: Wide, b: impl Into<Arg>, zero: bool) {
        let b = b.into();
        self.each_of(b, |asm, i, b| asm.masked(inst, to.0[i], a.0[i], b, BETWEEN + i as Mask, zero));
    }

    /// Lanes of ones where the masks are set.
    pub fn lanes_of_masks(&mut self, to: Wide) {
        self.each(|asm, i| {
            asm.masked(LANES_OF_MASK, to.0[i], 0, Rm::Vector(BETWEEN + i as Mask), 0, false);
        });
    }

    pub fn shift_left(&mut self, to: Wide, a: Wide, by: u8) {
        self.shift(TO_THE_LEFT, to, a, by);
    }

    pub fn shift_right(&mut self, to: Wide, a: Wide, by: u8) {
        self.shift(TO_THE_RIGHT, to, a, by);
    }

    fn shift(&mut self, which: u8, to: Wide, a: Wide, by: u8) {
        self.each(|asm, i| {
            asm.masked(SHIFTS, which, to.0[i], Rm::Vector(a.0[i]), 0, false);
            asm.code.push(by);
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
