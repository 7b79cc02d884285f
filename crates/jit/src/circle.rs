//! Sine, cosine and tangent of `f32` lanes, in halves of `f64` lanes: the arithmetic of `math/circle.rs`, step by step.

use super::asm::*;
use super::functions::SIGN_64;
use super::lanes::EQUAL;
use super::select::Step;
use super::wide::{Arg, Wide};
use crate::math::circle::{COSINE, FRAC_PI_2_REST, LAST, PLACE, POWERS, SINE, WHOLE};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// [`COMPARE_SIGNED`].
const LESS: u8 = 1;

#[derive(Clone, Copy, PartialEq)]
pub enum Wave {
    Sine,
    Cosine,
    Tangent,
}

impl Step<'_> {
    pub fn wave(&mut self, wave: Wave, to: Wide, x: Wide) -> Option<()> {
        if !self.asm.target.has_masks() {
            return None;
        }
        self.by_halves(to, x, |step, half| step.wave_of_half(wave, half))?;
        if wave != Wave::Cosine {
            let zero = self.asm.float(0.0);
            let none = self.compare(x, zero, EQUAL)?;
            self.move_where(&none, to, x);
            self.forget(none);
        }
        Some(())
    }

    /// Let something be done to each vector as two of `f64`.
    fn by_halves(
        &mut self,
        to: Wide,
        x: Wide,
        mut each: impl FnMut(&mut Self, Wide) -> Option<()>,
    ) -> Option<()> {
        let at_once = self.at_once;
        for i in 0..at_once {
            self.at_once = 2;
            let half = self.take()?;
            let Wide([low, high, ..]) = half;
            self.asm.emit_imm(HALF, x.0[i], 0, Rm::Vector(high), 1);
            self.asm.emit(OTHER_FLOAT, low, 0, Rm::Vector(x.0[i]));
            self.asm.emit(OTHER_FLOAT, high, 0, Rm::Vector(high));
            self.asm.double = true;
            let done = each(self, half);
            self.put_one(OTHER_FLOAT, half, Arg::Each(half));
            self.asm.double = false;
            done?;
            self.asm.emit_imm(JOIN, to.0[i], low, Rm::Vector(high), 1);
            self.give([half]);
            self.at_once = at_once;
        }
        Some(())
    }

    fn double(&mut self, x: f64) -> Rm {
        self.asm.long(x.to_bits())
    }

    fn double_constant(&mut self, x: f64) -> Option<Wide> {
        let (to, constant) = (self.take()?, self.double(x));
        self.repeat_of(to, constant);
        Some(to)
    }

    /// A function of what `x` holds, in its place.
    fn wave_of_half(&mut self, wave: Wave, x: Wide) -> Option<()> {
        let quarters = self.reduced(x)?;
        if wave == Wave::Cosine {
            let one = self.double(1.0);
            self.put(ADD, quarters, quarters, one);
        }
        let square = self.take()?;
        self.put(MUL, square, x, Arg::Each(x));
        let s = self.polynomial(square, &SINE)?;
        self.put(MUL, s, s, Arg::Each(square));
        self.put(FMA_213, s, x, Arg::Each(x));
        let cosine = self.polynomial(square, &COSINE)?;
        let zero = self.asm.long(0);
        self.shift_left(square, quarters, 63);
        let odd = self.compare_into_masks(COMPARE_SIGNED, square, Arg::All(zero), LESS);
        if wave == Wave::Tangent {
            self.put_one(MOVE, x, Arg::Each(s));
            self.move_where(&odd, x, cosine);
            self.move_where(&odd, cosine, s);
            self.put(DIV, x, x, Arg::Each(cosine));
        } else {
            self.move_where(&odd, s, cosine);
            self.put_one(MOVE, x, Arg::Each(s));
            let sign = self.asm.long(SIGN_64);
            self.shift_left(square, quarters, 62);
            self.put(AND, square, square, sign);
        }
        self.put(XOR, x, x, Arg::Each(square));
        self.give([square, cosine, s, quarters]);
        Some(())
    }

    /// Coefficients with the highest power first.
    fn polynomial(&mut self, x: Wide, coefficients: &[f64]) -> Option<Wide> {
        let (first, rest) = coefficients.split_first()?;
        let to = self.double_constant(*first)?;
        for coefficient in rest {
            let next = self.double(*coefficient);
            self.put(FMA_213, to, x, next);
        }
        Some(to)
    }

    /// Leave what is left of a number in its place; how many times pi / 2 went.
    fn reduced(&mut self, x: Wide) -> Option<Wide> {
        let (at, k, p, rest) = (self.take()?, self.take()?, self.take()?, self.take()?);
        let [by, and, zero, last, whole] = [PLACE[0], PLACE[1], 0.0, LAST, WHOLE].map(|x| self.double(x));
        self.put_one(EXPONENT, at, Arg::Each(x));
        self.put(MUL, at, at, by);
        self.put(ADD, at, at, and);
        self.put(MAX_OR_SECOND, at, at, zero);
        self.put(MIN_OR_SECOND, at, at, last);
        self.put(ADD, at, at, whole);
        self.put(SUB, k, at, whole);
        let down = self.double(-8.0);
        self.put(MUL, k, k, down);
        self.put(SCALE, x, x, Arg::Each(k));
        let [high, low] = [&POWERS[0], &POWERS[1]].map(|table| self.asm.table_of_doubles(table));
        self.put_one(LOAD, k, high[0]);
        self.put(PICK, k, at, high[1]);
        self.put(MUL, p, x, Arg::Each(k));
        self.put_one(MOVE, rest, Arg::Each(p));
        self.put(FMS_231, rest, x, Arg::Each(k));
        self.put_one(LOAD, k, low[0]);
        self.put(PICK, k, at, low[1]);
        self.put(FMA_231, rest, x, Arg::Each(k));
        self.repeat_of(at, whole);
        let per = self.double(FRAC_2_PI);
        self.put(FMA_231, at, p, per);
        self.put(SUB, k, at, whole);
        let [once, and] = [FRAC_PI_2, FRAC_PI_2_REST].map(|x| self.double(x));
        self.put(FNMA_231, p, k, once);
        self.put(ADD, p, p, Arg::Each(rest));
        self.put(FNMA_231, p, k, and);
        self.put_one(MOVE, x, Arg::Each(p));
        self.give([k, p, rest]);
        Some(at)
    }
}
