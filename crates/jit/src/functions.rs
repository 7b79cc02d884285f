//! Functions of `f32` lanes, as instructions: the arithmetic of `math.rs`, step by step, so that both give the same
//! bits.

use super::asm::*;
use super::lanes::{CHOOSE, EQUAL, NOT_EQUAL, NOT_LESS, UNORDERED};
use super::select::Step;
use super::wide::{Arg, Wide};
use crate::math::{
    EXP, EXP_MINUS_ONE, INVERSE_CUBES, INVERSES, LAST_POWER, LEAST, LN2_HIGH, LN2_LOW, LOG, MINUS_ONE, MOST,
    ODD_FIRST, OFFSETS, Odd, POWERS, POWERS_REST, ROOT, ROOTS, ROUND_32ND, THIRD,
};
use std::f32::consts::{LN_2, LOG2_E};

/// [`RANGE`]: zeros by their sign.
pub const SMALLEST: u8 = 4;
pub const LARGEST: u8 = 5;
/// [`FRACTION`]: in [3/4, 3/2), no number below zero.
const THREE_QUARTERS_ON: u8 = 0x0b;
/// [`FRACTION`]: in [1, 2), without the sign.
const ONE_ON: u8 = 0x04;
/// [`BY_KIND`]: what is no number with the bit that says that nobody need be told.
const QUIET: u32 = 0x22;
/// [`TO_F16`], [`TO_WHOLE`].
pub const TO_NEAREST: u8 = 0;
pub const DOWN: u8 = 1;
pub const UP: u8 = 2;

const SIGN: u32 = 0x8000_0000;
pub const SIGN_64: u64 = 1 << 63;

impl Step<'_> {
    /// A register with one constant.
    pub fn constant(&mut self, x: f32) -> Option<Wide> {
        let to = self.take()?;
        self.repeat(to, x.to_bits());
        Some(to)
    }

    /// With as few registers as can be: four vectors at once beside reductions are faster than two.
    pub fn exp(&mut self, to: Wide, x: Wide) -> Option<()> {
        if !self.asm.target.has_masks() {
            return self.exp_by_halves(to, x);
        }
        let least = self.asm.float(LEAST);
        let normal = self.compare(x, least, NOT_LESS)?;
        let t = if to == x { self.take()? } else { to };
        self.repeat(t, ROUND_32ND.to_bits());
        let (log2e, round) = (self.asm.float(LOG2_E), self.asm.float(ROUND_32ND));
        self.put(FMA_231, t, x, log2e);
        let (n, r) = (self.take()?, self.take()?);
        self.put(SUB, n, t, round);
        self.put_one(MOVE, r, Arg::Each(x));
        let [p, power] = self.rest_and_power(r, n, t)?;
        self.put(FMA_213, p, power, Arg::Each(power));
        self.put(SUB, t, t, round);
        // Of no number and an infinite power, the power decides: infinities need no care.
        self.put_where(&normal, SCALE, (to, p), Arg::Each(t), true)?;
        self.forget(normal);
        self.give([p, power]);
        if t != to {
            self.give([t]);
        }
        Some(())
    }

    /// Of e^r the part of the rest, less 1, and the power of two: `t` has the number `n` of 32nds. They take the
    /// registers of `n` and `r`.
    pub fn rest_and_power(&mut self, r: Wide, n: Wide, t: Wide) -> Option<[Wide; 2]> {
        self.take_logs(r, n);
        let ([linear, square], p) = (EXP, n);
        let square = self.asm.float(square);
        self.repeat(p, linear.to_bits());
        self.put(FMA_231, p, r, square);
        self.put(MUL, p, p, Arg::Each(r));
        self.picked(r, t, &POWERS)?;
        Some([p, r])
    }

    /// Take `n` times ln 2 from a number: its high bits, then the others.
    fn take_logs(&mut self, r: Wide, n: Wide) {
        let (high, low) = (self.asm.float(LN2_HIGH), self.asm.float(LN2_LOW));
        self.put(FNMA_231, r, n, high);
        self.put(FNMA_231, r, n, low);
    }

    pub fn exp_minus_one(&mut self, to: Wide, x: Wide) -> Option<()> {
        let (r, t) = (self.constant(MOST)?, self.constant(MINUS_ONE)?);
        // What is no number stays.
        self.put(MIN_OR_SECOND, r, r, Arg::Each(x));
        self.put(MAX_OR_SECOND, r, t, Arg::Each(r));
        let (log2e, round) = (self.asm.float(LOG2_E), self.asm.float(ROUND_32ND));
        self.repeat_of(t, round);
        self.put(FMA_231, t, r, log2e);
        let n = self.take()?;
        self.put(SUB, n, t, round);
        self.take_logs(r, n);
        let [cube, square] = EXP_MINUS_ONE;
        let (p, square) = (self.constant(cube)?, self.asm.float(square));
        self.put(FMA_213, p, r, square);
        self.put(MUL, p, p, Arg::Each(r));
        self.put(FMA_213, p, r, Arg::Each(r));
        self.picked(r, t, &POWERS_REST)?;
        let power = self.take()?;
        self.picked(power, t, &POWERS)?;
        self.put(FMA_213, p, power, Arg::Each(r));
        let (last, one) = (self.asm.float(LAST_POWER), self.asm.float(1.0));
        self.put(MIN_OR_SECOND, r, n, last);
        self.put(SUB, n, n, Arg::Each(r));
        self.scale([p, power], r, t);
        self.put(SUB, power, power, one);
        self.put(ADD, p, p, Arg::Each(power));
        self.scale([p], n, t);
        self.with_sign_of(to, x, p, t);
        self.give([r, t, n, p, power]);
        Some(())
    }

    pub fn cube_root(&mut self, to: Wide, x: Wide) -> Option<()> {
        if !self.asm.target.has_masks() {
            return None;
        }
        let (v, q, at) = (self.take()?, self.take()?, self.take()?);
        self.put_one(EXPONENT, at, Arg::Each(x));
        let [third, above] = THIRD;
        let (third, above, three) = (self.asm.float(third), self.asm.float(above), self.asm.float(3.0));
        self.repeat_of(q, above);
        self.put(FMA_231, q, at, third);
        self.put_one_imm(TO_WHOLE, q, q, DOWN);
        self.put(FNMA_231, at, q, three);
        self.put_one_imm(FRACTION, v, x, ONE_ON);
        self.put(SCALE, v, v, Arg::Each(at));
        self.shift_right(at, v, 20);
        let root = self.take()?;
        self.picked(root, at, &INVERSE_CUBES)?;
        let one = self.asm.float(-1.0);
        self.put(FMA_213, v, root, one);
        self.picked(root, at, &ROOTS)?;
        let [first, rest @ ..] = ROOT;
        self.repeat(at, first.to_bits());
        for coefficient in rest {
            let next = self.asm.float(coefficient);
            self.put(FMA_213, at, v, next);
        }
        self.put(MUL, at, at, Arg::Each(v));
        self.put(FMA_213, at, root, Arg::Each(root));
        self.put(SCALE, at, at, Arg::Each(q));
        self.with_sign_of(root, x, at, q);
        // Zeros and infinities are their own.
        self.put(ADD, v, x, Arg::Each(x));
        let own = self.compare(v, Arg::Each(x), EQUAL)?;
        self.move_where(&own, root, x);
        self.forget(own);
        self.put_one(MOVE, to, Arg::Each(root));
        self.give([v, q, at, root]);
        Some(())
    }

    /// The size of one number with the sign of another; one more register is used.
    fn with_sign_of(&mut self, to: Wide, sign: Wide, size: Wide, used: Wide) {
        let bit = self.asm.constant(SIGN);
        if !self.asm.target.has_masks() {
            let rest = self.asm.constant(!SIGN);
            self.put(AND, used, sign, bit);
            self.put(AND, to, size, rest);
            return self.put(OR, to, to, Arg::Each(used));
        }
        self.repeat_of(used, bit);
        self.put_imm(BITWISE, used, sign, Arg::Each(size), CHOOSE);
        self.put_one(MOVE, to, Arg::Each(used));
    }

    /// Multiply by powers of two, whose exponents are those of normal numbers; one more register is used.
    fn scale<const N: usize>(&mut self, values: [Wide; N], exponent: Wide, used: Wide) {
        if self.asm.target.has_masks() {
            return values.into_iter().for_each(|x| self.put(SCALE, x, x, Arg::Each(exponent)));
        }
        self.put_one_imm(TO_WHOLE, used, exponent, DOWN);
        self.put_one(INT_OF_FLOAT, used, Arg::Each(used));
        self.power_of_two(used, used);
        values.into_iter().for_each(|x| self.put(MUL, x, x, Arg::Each(used)));
    }

    /// An odd function that comes to 1 at `most`.
    pub fn odd(&mut self, to: Wide, x: Wide, table: &Odd, most: f32) -> Option<()> {
        let a = self.take()?;
        let positive = self.asm.constant(!SIGN);
        self.put(AND, a, x, positive);
        let most = self.constant(most)?;
        self.put(MIN_OR_SECOND, a, most, Arg::Each(a));
        let at = self.take()?;
        self.shift_right(at, a, 21);
        let (first, zero) = (self.asm.constant(ODD_FIRST), self.asm.constant(0));
        self.put(INT_SUB, at, at, first);
        self.put(SIGNED_MAX, at, at, zero);
        let [base, c0, c1, c2, c3, c4, c5] = table;
        self.picked(most, at, base)?;
        self.put(SUB, a, a, Arg::Each(most));
        let p = self.take()?;
        self.picked(p, at, c5)?;
        for table in [c4, c3, c2, c1, c0] {
            self.picked(most, at, table)?;
            self.put(FMA_213, p, a, Arg::Each(most));
        }
        self.with_sign_of(to, x, p, most);
        self.give([a, most, at, p]);
        Some(())
    }

    pub fn log_plus_one(&mut self, to: Wide, x: Wide) -> Option<()> {
        let (sum, own, rest) = (self.take()?, self.take()?, self.take()?);
        let one = self.asm.float(1.0);
        self.put(ADD, sum, x, one);
        self.put(SUB, own, sum, one);
        self.put(SUB, rest, sum, Arg::Each(own));
        self.put(SUB, own, x, Arg::Each(own));
        let least = self.constant(1.0)?;
        self.put(SUB, rest, least, Arg::Each(rest));
        self.put(ADD, rest, rest, Arg::Each(own));
        self.give([own, least]);
        self.log_of_sum(sum, sum, Some(rest))?;
        // The sum has lost the sign of a zero.
        self.with_sign_of(to, x, sum, rest);
        self.give([sum, rest]);
        Some(())
    }

    pub fn log(&mut self, to: Wide, x: Wide) -> Option<()> {
        self.log_of_sum(to, x, None)
    }

    /// The logarithm of a number and a much smaller one, whose register is not kept.
    fn log_of_sum(&mut self, to: Wide, x: Wide, rest: Option<Wide>) -> Option<()> {
        let (m, e, at) = (self.take()?, self.take()?, self.take()?);
        match self.asm.target {
            Target::Avx2 | Target::Neon => self.fraction_and_exponent((m, e), x, at)?,
            Target::Avx512 => {
                self.put_one_imm(FRACTION, m, x, THREE_QUARTERS_ON);
                self.put_one(EXPONENT, at, Arg::Each(m));
                self.put_one(EXPONENT, e, Arg::Each(x));
                self.put(SUB, e, e, Arg::Each(at));
            }
        }
        self.shift_right(at, m, 18);
        let p = self.take()?;
        self.picked(p, at, &INVERSES)?;
        let one = self.asm.float(-1.0);
        self.put(FMA_213, m, p, one);
        if let Some(rest) = rest {
            self.scaled_rest(rest, x, e, at)?;
            self.put(FMA_231, m, rest, Arg::Each(p));
            self.shift_right(at, x, 18);
        }
        self.picked(p, at, &OFFSETS)?;
        let ln2 = self.asm.float(LN_2);
        self.put(FMA_231, p, e, ln2);
        let [a, b, c] = LOG;
        self.repeat(e, a.to_bits());
        for coefficient in [b, c] {
            let next = self.asm.float(coefficient);
            self.put(FMA_213, e, m, next);
        }
        self.put(MUL, at, m, Arg::Each(m));
        self.put(FMA_231, m, at, Arg::Each(e));
        if !self.asm.target.has_masks() {
            self.put(ADD, p, p, Arg::Each(m));
            self.logarithms_of_others(p, x, e)?;
            self.put_one(MOVE, to, Arg::Each(p));
        } else {
            self.put(ADD, to, p, Arg::Each(m));
        }
        self.give([m, e, at, p]);
        Some(())
    }

    /// Bring what was left out of a sum to the size of its fraction; one more register is used.
    fn scaled_rest(&mut self, rest: Wide, x: Wide, e: Wide, used: Wide) -> Option<()> {
        let (zero, sign) = (self.asm.float(0.0), self.asm.constant(SIGN));
        self.put(XOR, used, e, sign);
        if !self.asm.target.has_masks() {
            return self.scale_twice(rest, used);
        }
        // Of what left no number the power decides; a sum of nothing has no rest.
        let some = self.compare(x, zero, NOT_EQUAL)?;
        self.put_where(&some, SCALE, (rest, rest), Arg::Each(used), true)?;
        self.forget(some);
        Some(())
    }

    /// Elements of a table of 32.
    pub fn picked(&mut self, to: Wide, at: Wide, table: &[f32; 32]) -> Option<()> {
        match self.asm.target {
            Target::Avx2 => return self.picked_by_quarters(to, at, table),
            Target::Neon => return self.picked_by_bytes(to, at, table),
            Target::Avx512 => {}
        }
        let [low, high] = self.table(table);
        self.put_one(LOAD, to, low);
        self.put(PICK, to, at, high);
        Some(())
    }

    pub fn logistic(&mut self, to: Wide, x: Wide) -> Option<()> {
        let (negative, sign) = (self.take()?, self.asm.constant(SIGN));
        self.put(XOR, negative, x, sign);
        self.exp(negative, negative)?;
        let (denominator, one) = (self.asm.float(1.0), self.constant(1.0)?);
        self.put(ADD, negative, negative, denominator);
        self.put(DIV, to, one, Arg::Each(negative));
        self.give([negative, one]);
        Some(())
    }

    /// The larger or smaller; what is no number wins.
    pub fn extreme(&mut self, how: u8, to: Wide, a: Wide, b: Wide) -> Option<()> {
        if !self.asm.target.has_masks() {
            return self.extreme_of_both(how, to, a, b);
        }
        let found = self.take()?;
        self.put_imm(RANGE, found, a, Arg::Each(b), how);
        let none = self.compare(a, Arg::Each(b), UNORDERED)?;
        self.put_where(&none, ADD, (found, a), Arg::Each(b), false)?;
        self.put_one(MOVE, to, Arg::Each(found));
        self.forget(none);
        self.give([found]);
        Some(())
    }

    /// The nearest `bf16`, as an `f32`; `loose`: with anything in the lower half.
    pub fn nearest_bf16(&mut self, to: Wide, x: Wide, loose: bool) -> Option<()> {
        let t = self.take()?;
        match self.asm.target {
            Target::Avx2 | Target::Neon => self.nearest_upper_half(t, x)?,
            Target::Avx512 => {
                let [odd, half, one, quiet] = [1 << 16, 0x7fff, 1, QUIET].map(|bits| self.asm.constant(bits));
                self.put(INT_ADD, t, x, half);
                let odd = self.test(x, odd);
                self.put_where(&odd, INT_ADD, (t, t), one, false)?;
                self.put_imm(BY_KIND, t, x, quiet, 0);
            }
        }
        if loose {
            self.put_one(MOVE, to, Arg::Each(t))
        } else {
            let top = self.asm.constant(0xffff_0000);
            self.put(AND, to, t, top);
        }
        self.give([t]);
        Some(())
    }

    /// The nearest `f16`, as an `f32`.
    pub fn nearest_f16(&mut self, to: Wide, x: Wide) {
        // The result of the first instruction is its last operand.
        self.put_one_imm(TO_F16, x, to, TO_NEAREST);
        self.put_one(OF_F16, to, Arg::Each(to));
    }
}
