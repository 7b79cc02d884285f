//! Functions of `f32` lanes, as instructions: the arithmetic of `math.rs`, step by step, so that both give the same bits.

use super::asm::*;
use super::select::Step;
use super::wide::{Arg, Wide};
use crate::math::{EXP, LEAST, LN2_HIGH, LN2_LOW, ROUND, TANH, TANH_FIRST, TANH_MOST};
use std::f32::consts::LOG2_E;

/// Lanes that are less (or no numbers), for [`COMPARE`].
const NOT_LESS: u8 = 0x15;
pub const UNORDERED: u8 = 3;
/// [`RANGE`]: zeros by their sign.
pub const SMALLEST: u8 = 4;
pub const LARGEST: u8 = 5;
/// [`BITWISE`]: the second operand where the first is set, else the third.
pub const CHOOSE: u8 = 0xca;

const SIGN: u32 = 0x8000_0000;
impl Step<'_> {
    /// A register with one constant.
    pub fn constant(&mut self, x: f32) -> Option<Wide> {
        let to = self.take()?;
        self.repeat(to, x.to_bits());
        Some(to)
    }

    pub fn exp(&mut self, to: Wide, x: Wide) -> Option<()> {
        let least = self.asm.float(LEAST);
        self.compare(COMPARE, x, least, NOT_LESS);
        // The second operand is kept if one is no number.
        let r = self.constant(89.0)?;
        self.put(MIN_OR_SECOND, r, r, Arg::Each(x));
        let n = self.constant(ROUND)?;
        let (log2e, round) = (self.asm.float(LOG2_E), self.asm.float(ROUND));
        self.put(FMA_231, n, r, log2e);
        self.put(SUB, n, n, round);
        let (high, low) = (self.asm.float(LN2_HIGH), self.asm.float(LN2_LOW));
        self.put(FNMA_231, r, n, high);
        self.put(FNMA_231, r, n, low);
        let p = self.constant(EXP[0])?;
        for coefficient in EXP.iter().skip(1).chain(&[1.0, 1.0]) {
            let next = self.asm.float(*coefficient);
            self.put(FMA_213, p, r, next);
        }
        self.put_where(SCALE, to, p, Arg::Each(n), true);
        self.give([r, n, p]);
        Some(())
    }

    pub fn tanh(&mut self, to: Wide, x: Wide) -> Option<()> {
        let a = self.take()?;
        let positive = self.asm.constant(!SIGN);
        self.put(AND, a, x, positive);
        let most = self.constant(TANH_MOST)?;
        self.put(MIN_OR_SECOND, a, most, Arg::Each(a));
        let at = self.take()?;
        self.shift_right(at, a, 21);
        let (first, zero) = (self.asm.constant(TANH_FIRST), self.asm.constant(0));
        self.put(INT_SUB, at, at, first);
        self.put(SIGNED_MAX, at, at, zero);
        let [base, c0, c1, c2, c3, c4, c5] = &TANH;
        self.picked(most, at, base);
        self.put(SUB, a, a, Arg::Each(most));
        let p = self.take()?;
        self.picked(p, at, c5);
        for table in [c4, c3, c2, c1, c0] {
            self.picked(most, at, table);
            self.put(FMA_213, p, a, Arg::Each(most));
        }
        let sign = self.asm.constant(SIGN);
        self.repeat_of(most, sign);
        self.put_imm(BITWISE, most, x, Arg::Each(p), CHOOSE);
        self.put_one(MOVE, to, Arg::Each(most));
        self.give([a, most, at, p]);
        Some(())
    }

    /// Elements of a table of 32.
    fn picked(&mut self, to: Wide, at: Wide, table: &[f32; 32]) {
        let [low, high] = self.table(table);
        self.put_one(LOAD, to, low);
        self.put(PICK, to, at, high);
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
        let found = self.take()?;
        self.put_imm(RANGE, found, a, Arg::Each(b), how);
        self.compare(COMPARE, a, Arg::Each(b), UNORDERED);
        self.put_where(ADD, found, a, Arg::Each(b), false);
        self.put_one(MOVE, to, Arg::Each(found));
        self.give([found]);
        Some(())
    }

    /// The nearest `bf16`, as an `f32`.
    pub fn nearest_bf16(&mut self, to: Wide, x: Wide) -> Option<()> {
        let t = self.take()?;
        let [one, half, quiet, top] =
            [1, 0x7fff, 0x0040_0000, 0xffff_0000].map(|bits| self.asm.constant(bits));
        self.shift_right(t, x, 16);
        self.put(AND, t, t, one);
        self.put(INT_ADD, t, t, half);
        self.put(INT_ADD, t, t, Arg::Each(x));
        self.compare(COMPARE, x, Arg::Each(x), UNORDERED);
        self.put_where(OR, t, x, quiet, false);
        self.put(AND, to, t, top);
        self.give([t]);
        Some(())
    }

    /// Lanes of ones where a comparison holds.
    pub fn lanes_of(&mut self, inst: Inst, to: Wide, a: Wide, b: Wide, how: u8) {
        self.compare(inst, a, Arg::Each(b), how);
        self.lanes_of_masks(to);
    }
}
