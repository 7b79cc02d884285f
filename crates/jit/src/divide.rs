//! Quotients by one number for all elements (a row's sum, say), without dividing: a division takes the CPU sixteen
//! cycles for each vector.
//!
//! ```text
//! once:  r = 1 / b             each:  q = a * r;   q - (q * b - a) * r
//! ```
//!
//! The remainder is exact and the inverse is the nearest, so this is the nearest quotient (Markstein), and a zero keeps
//! its sign. Where `q` is infinite or no number, the remainder is none, and `q` is the quotient. Below 2^-100 the
//! remainder itself is rounded, and the quotient may be the neighbour of the nearest. That holds for divisors from 1 to
//! 2^30; by others, vectors are divided.

use super::asm::*;
use super::lanes::{BETWEEN, UNORDERED};
use super::select::{Registers, Step};
use super::wide::{Arg, MOST, Wide};
use crate::op::{Reg, TileOp};
use meshwright_ir::DType;
use meshwright_ir::op::BinaryOp;

/// [`COMPARE_UNSIGNED`].
const LESS: u8 = 1;
/// [`BY_KIND`]: infinities and what is no number.
const NOT_FINITE: u32 = 0x0011_0011;

/// Divisors with a good inverse, as bits: from the first on, as many as there are to the second.
const BY: (u32, u32) = (1f32.to_bits(), 1_073_741_824f32.to_bits() - 1f32.to_bits());
/// Numbers from which on quotients are the nearest: 2^-100.
pub const EXACT: f32 = f32::from_bits((127 - 100) << 23);

pub struct Divisor {
    pub reg: Reg,
    by: Vector,
    inverse: Vector,
    /// The flag that is zero if vectors must be divided.
    good: u8,
}

/// What an op divides by, if quotients are made of `f32`.
pub fn divisor_of(op: &TileOp) -> Option<Reg> {
    match op {
        TileOp::Binary { op: BinaryOp::Divide, ty: DType::F32 | DType::BF16 | DType::F16, b, .. } => Some(*b),
        _ => None,
    }
}

/// Divisors of a loop that are kept in registers, with their inverses.
pub fn begun(
    asm: &mut Asm,
    ops: &[TileOp],
    kept: &[(Reg, Vector)],
    registers: &mut Registers,
) -> Vec<Divisor> {
    let mut found: Vec<Divisor> = Vec::new();
    for op in ops {
        let Some(b) = divisor_of(op) else { continue };
        let by = kept.iter().find(|(reg, _)| *reg == b).map(|(_, vector)| *vector);
        let known = found.iter().any(|divisor| divisor.reg == b);
        let (Some(by), false, Some(good)) = (by, known, FLAGS.get(registers.flags)) else { continue };
        let Some(inverse) = registers.keep() else { continue };
        registers.flags += 1;
        let divisor = Divisor { reg: b, by, inverse, good: *good };
        divisor.prepare(asm);
        found.push(divisor);
    }
    found
}

impl Divisor {
    fn prepare(&self, asm: &mut Asm) {
        match asm.target {
            Target::Avx2 | Target::Neon => self.prepare_without_masks(asm),
            Target::Avx512 => {
                let [least, most] = [BY.0, BY.1].map(|bits| asm.constant(bits));
                asm.emit(INT_SUB, self.inverse, self.by, least);
                asm.emit_imm(COMPARE_UNSIGNED, BETWEEN, self.inverse, most, LESS);
                asm.keep_mask(self.good, BETWEEN);
            }
        }
        self.set(asm, self.inverse, 1f32.to_bits());
        asm.emit(DIV, self.inverse, self.inverse, Rm::Vector(self.by));
    }

    /// Divisors are compared as numbers with signs: from the least number on.
    fn prepare_without_masks(&self, asm: &mut Asm) {
        const SIGN: u32 = 1 << 31;
        /// A register of the loop's values, none of which is there yet.
        const LIMIT: Vector = 0;
        let shift = asm.constant(BY.0.wrapping_add(SIGN));
        self.set(asm, LIMIT, BY.1 ^ SIGN);
        asm.emit(INT_SUB, self.inverse, self.by, shift);
        asm.emit(INT_GREATER, LIMIT, LIMIT, Rm::Vector(self.inverse));
        asm.keep_lanes(self.good, LIMIT);
    }

    /// A constant in all lanes.
    fn set(&self, asm: &mut Asm, to: Vector, bits: u32) {
        if let Rm::Constant(at) = asm.constant(bits) {
            asm.emit(REPEAT, to, 0, Rm::Constants(at));
        }
    }
}

impl Step<'_> {
    pub fn quotient(&mut self, to: Wide, a: Wide, divisor: &Divisor) -> Option<()> {
        let all = |vector: Vector| Arg::All(Rm::Vector(vector));
        let q = self.take()?;
        let slow = self.asm.jump_if_none(divisor.good);
        self.put(MUL, q, a, all(divisor.inverse));
        self.put_one(MOVE, to, Arg::Each(a));
        self.put(FMS_231, to, q, all(divisor.by));
        self.put(FNMA_213, to, Wide([divisor.inverse; MOST]), Arg::Each(q));
        match self.asm.target {
            Target::Avx2 | Target::Neon => {
                // There is no remainder of what is infinite or no number.
                let none = self.compare(to, Arg::Each(to), UNORDERED)?;
                self.move_where(&none, to, q);
                self.forget(none);
            }
            Target::Avx512 => {
                let kinds = self.asm.constant(NOT_FINITE);
                self.put_imm(BY_KIND, to, q, kinds, 0);
            }
        }
        let done = self.asm.jump();
        self.asm.land(slow);
        self.put(DIV, to, a, all(divisor.by));
        self.asm.land(done);
        self.give([q]);
        Some(())
    }
}
