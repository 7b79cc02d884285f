//! Quotients by one number for all elements (a row's sum, say), without dividing: a division takes the CPU sixteen cycles
//! for each vector.
//!
//! ```text
//! once:  r = 1 / b             each:  q = a * r;   q + r * (a - q * b)
//! ```
//!
//! The remainder is exact and the inverse is the nearest, so this is the nearest quotient (Markstein), as long as nothing
//! leaves the normal numbers on the way. Where that is not sure, by the exponents of both, vectors are divided. A zero
//! keeps its sign by taking `q`.

use super::asm::*;
use super::select::Step;
use super::wide::{Arg, BETWEEN, Wide};
use super::{From, Port};
use crate::tile::{Reg, TileOp};
use meshwright_ir::DType;
use meshwright_ir::op::BinaryOp;

/// So many divisors have their registers.
const DIVISORS: usize = 2;
/// [`COMPARE_UNSIGNED`].
const LESS: u8 = 1;
const POSITIVE: u32 = 0x7fff_ffff;

/// Bits of a power of two.
const fn power(exponent: i32) -> u32 {
    ((exponent + 127) as u32) << 23
}

/// Numbers that are divided so, and by which; each from the first power of two on, as many as there are to the second.
const DIVIDED: (u32, u32) = (power(-90), power(90) - power(-90));
const BY: (u32, u32) = (power(-30), power(30) - power(-30));

pub struct Divisor {
    pub reg: Reg,
    by: Vector,
    inverse: Vector,
    /// How far above the least number the divided may be, and how far above zero it is zero; both 0 for a bad divisor.
    span: Vector,
    zero: Vector,
}

impl Divisor {
    pub fn registers(&self) -> [Vector; 4] {
        [self.by, self.inverse, self.span, self.zero]
    }
}

/// Divisors of a loop, with their inverses; `next` is the first register that is taken.
pub fn begun(asm: &mut Asm, ops: &[TileOp], inputs: &[Port<From>], mut next: Vector) -> Vec<Divisor> {
    let mut found: Vec<Divisor> = Vec::new();
    for op in ops {
        let TileOp::Binary { op: BinaryOp::Divide, ty: DType::F32, b, .. } = op else { continue };
        let port = inputs.iter().find(|port| port.reg == *b && matches!(port.at, From::One | From::Known(_)));
        let known = found.iter().any(|divisor| divisor.reg == *b);
        let (Some(port), false, true) = (port, known, found.len() < DIVISORS) else { continue };
        let [by, inverse, span, zero] = [next - 1, next - 2, next - 3, next - 4];
        next -= 4;
        let divisor = Divisor { reg: port.reg, by, inverse, span, zero };
        divisor.prepare(asm, port.at);
        found.push(divisor);
    }
    found
}

/// A mask before any loop runs.
const GOOD: Mask = 2;
/// Lanes that need no division. (As a mask of what is written this register would mean none.)
const ALL: Mask = 0;

impl Divisor {
    fn prepare(&self, asm: &mut Asm, at: From) {
        match at {
            From::Known(bits) => self.set(asm, self.by, bits, 0),
            _ => {
                asm.address(self.reg as usize);
                asm.masked(REPEAT, self.by, 0, Rm::Element, 0, false);
            }
        }
        self.set(asm, self.inverse, 1f32.to_bits(), 0);
        asm.masked(DIV, self.inverse, self.inverse, Rm::Vector(self.by), 0, false);
        let [positive, least, most] = [POSITIVE, BY.0, BY.1].map(|bits| asm.constant(bits));
        asm.masked(AND, self.span, self.by, positive, 0, false);
        asm.masked(INT_SUB, self.span, self.span, least, 0, false);
        asm.masked(COMPARE_UNSIGNED, GOOD, self.span, most, 0, false);
        asm.code.push(LESS);
        self.set(asm, self.span, DIVIDED.1, GOOD);
        self.set(asm, self.zero, 1, GOOD);
    }

    /// A constant in all lanes, or in those of a mask and zero in others.
    fn set(&self, asm: &mut Asm, to: Vector, bits: u32, mask: Mask) {
        if let Rm::Constant(at) = asm.constant(bits) {
            asm.masked(REPEAT, to, 0, Rm::Constants(at), mask, mask != 0);
        }
    }
}

impl Step<'_> {
    pub fn quotient(&mut self, to: Wide, a: Wide, divisor: &Divisor) -> Option<()> {
        let all = |vector: Vector| Arg::All(Rm::Vector(vector));
        let (rest, size) = (self.take()?, self.take()?);
        let [positive, least] = [POSITIVE, DIVIDED.0].map(|bits| self.asm.constant(bits));
        self.put(MUL, to, a, all(divisor.inverse));
        self.put_one(MOVE, rest, Arg::Each(a));
        self.put(FNMA_231, rest, to, all(divisor.by));
        self.put(AND, size, a, positive);
        for i in 0..self.at_once {
            let (own, size, mask) = (to.0[i], size.0[i], BETWEEN + i as Mask);
            let asm = &mut *self.asm;
            asm.masked(COMPARE_UNSIGNED, ALL, size, Rm::Vector(divisor.zero), 0, false);
            asm.code.push(LESS);
            asm.masked(INT_SUB, size, size, least, 0, false);
            asm.masked(COMPARE_UNSIGNED, mask, size, Rm::Vector(divisor.span), 0, false);
            asm.code.push(LESS);
            asm.masked(FMA_231, own, rest.0[i], Rm::Vector(divisor.inverse), mask, false);
            asm.join_masks(ALL, mask);
            let past = asm.jump_if_all(ALL);
            asm.masked(DIV, own, a.0[i], Rm::Vector(divisor.by), 0, false);
            asm.land(past);
        }
        self.give([rest, size]);
        Some(())
    }
}
