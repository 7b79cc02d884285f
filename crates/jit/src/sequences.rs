//! What takes several instructions of AVX2 or NEON where AVX-512 has one, with the same bits: the arithmetic of
//! `math.rs`.

use super::asm::*;
use super::functions::SMALLEST;
use super::lanes::{EQUAL, LESS, NOT_AT_LEAST, NOT_LESS, UNORDERED};
use super::select::Step;
use super::wide::{Arg, Wide};
use crate::math::{LEAST, MOST, ROUND_32ND};
use std::f32::consts::LOG2_E;

/// Bits of an exponent, of 1, and what an exponent begins at.
const EXPONENTS: u32 = 0xff80_0000;
const ONE: u32 = 1f32.to_bits();
const QUIET_BIT: u32 = 0x0040_0000;

impl Asm {
    /// The one, or the other where lanes are ones; with AVX2 their uppermost bit says it.
    pub fn blend(&mut self, to: Vector, one: Vector, other: Rm, lanes: Vector) {
        if self.target == Target::Neon {
            return self.chosen(to, lanes, other, one);
        }
        self.emit_imm(BLEND, to, one, other, lanes << 4);
    }

    /// The larger of two, of zeros the one without a sign; ones in all bits if one is no number.
    pub fn largest(&mut self, to: Vector, (a, b): (Vector, Rm), [one, other]: [Vector; 2]) {
        let Rm::Vector(second) = b else { return };
        self.emit(MAX_OR_SECOND, one, a, b);
        self.emit(MAX_OR_SECOND, other, second, Rm::Vector(a));
        self.emit(AND, one, one, Rm::Vector(other));
        self.emit_imm(COMPARE, other, a, b, UNORDERED);
        self.emit(OR, to, one, Rm::Vector(other));
    }

    /// The smaller of two, of zeros the one with a sign; no number if one is none.
    pub fn smallest(&mut self, to: Vector, (a, b): (Vector, Rm), [one, other]: [Vector; 2]) {
        let Rm::Vector(second) = b else { return };
        self.emit(MIN_OR_SECOND, one, a, b);
        self.emit(MIN_OR_SECOND, other, second, Rm::Vector(a));
        self.emit(OR, to, one, Rm::Vector(other));
    }
}

impl Step<'_> {
    /// Two to the power of a whole number.
    pub fn power_of_two(&mut self, to: Wide, n: Wide) {
        let one = self.asm.constant(ONE);
        self.shift_left(to, n, 23);
        self.put(INT_ADD, to, to, one);
    }

    /// e^x: the power of two as two factors, as it alone may not be a normal number.
    pub fn exp_by_halves(&mut self, to: Wide, x: Wide) -> Option<()> {
        let (least, most) = (self.asm.float(LEAST), self.asm.float(MOST));
        let normal = if to == x { Some(self.compare(x, least, NOT_LESS)?) } else { None };
        let (r, t) = (self.take()?, self.take()?);
        // What is no number stays.
        self.repeat_of(r, most);
        self.repeat_of(t, least);
        self.put(MIN_OR_SECOND, r, r, Arg::Each(x));
        self.put(MAX_OR_SECOND, r, t, Arg::Each(r));
        let (log2e, round) = (self.asm.float(LOG2_E), self.asm.float(ROUND_32ND));
        self.repeat_of(t, round);
        self.put(FMA_231, t, r, log2e);
        let n = self.take()?;
        self.put(SUB, n, t, round);
        let [p, power] = self.rest_and_power(r, n, t)?;
        // Exponents of the first factor and of both: t has 32nds.
        let (half, exponents, one) = (self.take()?, self.asm.constant(EXPONENTS), self.asm.constant(ONE));
        self.shift_left(half, t, 17);
        self.shift_left(t, t, 18);
        self.put(AND, half, half, exponents);
        self.put(AND, t, t, exponents);
        self.put(INT_SUB, t, t, Arg::Each(half));
        self.put(INT_ADD, power, power, Arg::Each(half));
        self.put(INT_ADD, t, t, one);
        self.put(FMA_213, p, power, Arg::Each(power));
        self.give([half]);
        self.put(MUL, p, p, Arg::Each(t));
        let normal = match normal {
            Some(normal) => normal,
            None => self.compare(x, least, NOT_LESS)?,
        };
        self.zero_unless(&normal, to, p);
        self.forget(normal);
        self.give([r, t, n]);
        Some(())
    }

    /// Elements of a table of 32: all bytes by their numbers, of one half and then of the other.
    pub fn picked_by_bytes(&mut self, to: Wide, at: Wide, table: &[f32; 32]) -> Option<()> {
        let [low, high] = self.table(table);
        let bytes = self.take()?;
        let [all, each, first, other] =
            [31, 0x0404_0404, 0x0302_0100, 0x4040_4040].map(|bits| self.asm.constant(bits));
        self.put(AND, bytes, at, all);
        self.put(INT_MUL, bytes, bytes, each);
        self.put(INT_ADD, bytes, bytes, first);
        self.asm.load_table(low);
        self.put_one(BYTES_OF_TABLE, to, Arg::Each(bytes));
        self.put(XOR, bytes, bytes, other);
        self.asm.load_table(high);
        self.put_one(BYTES_OF_OTHER_TABLE, to, Arg::Each(bytes));
        self.give([bytes]);
        Some(())
    }

    /// Elements of a table of 32: of each quarter one, then by the two upper bits.
    pub fn picked_by_quarters(&mut self, to: Wide, at: Wide, table: &[f32; 32]) -> Option<()> {
        let [low, high] = self.table(table);
        let (Rm::Constants(low), Rm::Constants(high)) = (low, high) else { return None };
        let [first, second, third, fourth] = [low, low + 32, high, high + 32].map(Rm::Constants);
        let (other, bit) = (self.take()?, self.take()?);
        self.shift_left(bit, at, 28);
        self.put(PERMUTE, other, at, first);
        self.put(PERMUTE, to, at, second);
        self.blend(other, other, to, bit);
        let upper = self.take()?;
        self.put(PERMUTE, upper, at, third);
        self.put(PERMUTE, to, at, fourth);
        self.blend(upper, upper, to, bit);
        self.shift_left(bit, at, 27);
        self.blend(to, other, upper, bit);
        self.give([other, bit, upper]);
        Some(())
    }

    /// The larger or smaller of two; what is no number wins.
    pub fn extreme_of_both(&mut self, how: u8, to: Wide, a: Wide, b: Wide) -> Option<()> {
        if self.asm.target == Target::Neon {
            self.put(if how == SMALLEST { SMALLER } else { LARGER }, to, a, Arg::Each(b));
            return Some(());
        }
        let none = self.compare(a, Arg::Each(b), UNORDERED)?;
        let (one, other) = (self.take()?, self.take()?);
        let (inst, both) = if how == SMALLEST { (MIN_OR_SECOND, OR) } else { (MAX_OR_SECOND, AND) };
        self.put(inst, one, a, Arg::Each(b));
        self.put(inst, other, b, Arg::Each(a));
        self.put(both, one, one, Arg::Each(other));
        self.put(ADD, other, a, Arg::Each(b));
        self.move_where(&none, one, other);
        self.put_one(MOVE, to, Arg::Each(one));
        self.forget(none);
        self.give([one, other]);
        Some(())
    }

    /// The nearest number of 16 bits in the upper half, anything in the lower one.
    pub fn nearest_upper_half(&mut self, to: Wide, x: Wide) -> Option<()> {
        let [half, one, quiet] = [0x7fff, 1, QUIET_BIT].map(|bits| self.asm.constant(bits));
        self.shift_right(to, x, 16);
        self.put(AND, to, to, one);
        self.put(INT_ADD, to, to, half);
        self.put(INT_ADD, to, to, Arg::Each(x));
        let none = self.compare(x, Arg::Each(x), UNORDERED)?;
        self.put_where(&none, OR, (to, x), quiet, false)?;
        self.forget(none);
        Some(())
    }

    /// A number in [3/4, 3/2) and the power of two that makes it `x`; one more register is used. They mean nothing of
    /// zero, what is infinite, below zero or no number.
    pub fn fraction_and_exponent(&mut self, (m, e): (Wide, Wide), x: Wide, t: Wide) -> Option<()> {
        const TINY: f32 = 8_388_608.0;
        let [least, tiny] = [f32::MIN_POSITIVE, TINY].map(|x| self.asm.float(x));
        let below = self.compare(x, least, LESS)?;
        self.put_one(MOVE, m, Arg::Each(x));
        self.put_where(&below, MUL, (m, x), tiny, false)?;
        // Exponents, from those of tiny numbers 23 are taken.
        let bias = self.asm.constant(127);
        self.shift_right(t, m, 22);
        self.shift_right(e, m, 23);
        let (ones, one, upper) = (self.asm.constant(255), self.asm.constant(1), t);
        self.put(AND, e, e, ones);
        self.put(AND, upper, upper, one);
        self.put(INT_SUB, e, e, bias);
        self.put(INT_ADD, e, e, Arg::Each(upper));
        let less = self.asm.constant(23);
        self.put_where(&below, INT_SUB, (e, e), less, false)?;
        self.forget(below);
        self.put_one(FLOAT_OF_INT, e, Arg::Each(e));
        // The exponent of the fraction: that of 1, or one less.
        let (fraction, first) = (self.asm.constant(0x007f_ffff), self.asm.constant(ONE));
        self.shift_left(upper, upper, 23);
        self.put(AND, m, m, fraction);
        self.put(OR, m, m, first);
        self.put(INT_SUB, m, m, Arg::Each(upper));
        Some(())
    }

    /// Put in the logarithms of zero, what is infinite, below zero or no number; one more register is used.
    pub fn logarithms_of_others(&mut self, to: Wide, x: Wide, used: Wide) -> Option<()> {
        let [infinite, zero] = [f32::INFINITY, 0.0].map(|x| self.asm.float(x));
        let same = self.compare(x, infinite, EQUAL)?;
        self.move_where(&same, to, x);
        self.forget(same);
        self.repeat(used, f32::NEG_INFINITY.to_bits());
        let none = self.compare(x, zero, EQUAL)?;
        self.move_where(&none, to, used);
        self.forget(none);
        self.put_imm(COMPARE, used, x, zero, NOT_AT_LEAST);
        self.put(OR, to, to, Arg::Each(used));
        Some(())
    }

    /// Multiply by a power of two whose exponent is a whole number, by halves; the exponent is lost.
    pub fn scale_twice(&mut self, x: Wide, exponent: Wide) -> Option<()> {
        let half = self.take()?;
        self.put_one(INT_OF_FLOAT, exponent, Arg::Each(exponent));
        self.shift_signed_right(half, exponent, 1);
        self.put(INT_SUB, exponent, exponent, Arg::Each(half));
        for part in [half, exponent] {
            self.power_of_two(part, part);
            self.put(MUL, x, x, Arg::Each(part));
        }
        self.give([half]);
        Some(())
    }

    /// Whole numbers without a sign as floats, rounded once.
    pub fn float_of_unsigned(&mut self, to: Wide, x: Wide) -> Option<()> {
        if self.asm.target != Target::Avx2 {
            self.put_one(FLOAT_OF_UNSIGNED, to, Arg::Each(x));
            return Some(());
        }
        let (upper, lower) = (self.take()?, self.asm.constant(0xffff));
        self.shift_right(upper, x, 16);
        self.put_one(FLOAT_OF_INT, upper, Arg::Each(upper));
        self.put(AND, to, x, lower);
        self.put_one(FLOAT_OF_INT, to, Arg::Each(to));
        let shift = self.asm.float(65_536.0);
        self.put(FMA_231, to, upper, shift);
        self.give([upper]);
        Some(())
    }
}
