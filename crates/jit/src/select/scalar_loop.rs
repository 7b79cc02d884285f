//! A loop of the program whose values are single numbers, as machine code: what its trips hand on stays in registers.
//!
//! ```text
//! while x < y { x = x * 2 }
//!
//!       v1 = x
//! top:  v0 = v1 < y;  leave unless v0;  v1 = v1 * 2;  top, unless that was the last trip that was asked for
//! ```
//!
//! All lanes of a register hold the one number, so values are computed as in all other loops, with the same bits; the
//! first lane is stored, once, behind the loop. Code is made where a comparison leaves lanes of ones (AVX2 and NEON): a
//! CPU with AVX-512 runs what is made for AVX2.

use super::{Begun, Registers, Step, constants_of};
use crate::asm::*;
use crate::double::{is_double, sizes};
use crate::memory::Code;
use crate::op::{Reg, TileOp};
use crate::wide::{Arg, MOST, Wide};
use crate::{From, Loop, Port};
use meshwright_ir::DType;

/// The loop. Each op has a target of its own; values are numbered as they are for other loops, and the addresses of
/// those in memory are handed over by these numbers.
#[derive(Clone, Copy, Debug)]
pub struct ScalarLoop<'a> {
    /// Of one trip.
    pub ops: &'a [TileOp],
    /// Read, and never written.
    pub inputs: &'a [Port<From>],
    pub carries: &'a [Carry],
    /// `None`: it ends when all trips that were asked for are made.
    pub test: Option<Test<'a>>,
}

/// What trips hand on: it lies at the address of the first value before the loop and behind it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Carry {
    pub reg: Reg,
    /// What it is in the next trip.
    pub next: Reg,
    pub dtype: DType,
}

/// When a loop ends.
#[derive(Clone, Copy, Debug)]
pub struct Test<'a> {
    /// How many of the ops come before it.
    pub at: usize,
    /// The loop goes on if this holds.
    pub holds: Reg,
    /// What each carry is at the test.
    pub carries: &'a [Reg],
    /// A place of as many bytes as a value has: zeros are stored there when the test ends the loop.
    pub ended: Reg,
}

/// Types that one instruction loads into all lanes, and stores of one.
pub fn may_be_carried(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::S32 | DType::U32) || is_double(dtype)
}

/// Code for a loop, which makes so many trips at most as it is asked for rows; `None` if there is none.
pub fn compile_scalar_loop(target: Target, of: &ScalarLoop<'_>) -> Option<Code> {
    let ports = of.inputs.iter().map(|port| port.dtype).chain(of.carries.iter().map(|carry| carry.dtype));
    let (single, double) = sizes(of.ops, ports.clone());
    let no_store = double && target == Target::Neon;
    if target.has_masks() || (single && double) || no_store || !ports.clone().all(may_be_carried) {
        return None;
    }
    let first = written(of, Asm::new(target, double, false), &[])?;
    let constants = constants_of(&first);
    let second =
        if constants.is_empty() { None } else { written(of, Asm::new(target, double, false), &constants) };
    Code::of(&second.unwrap_or(first))
}

fn written(of: &ScalarLoop<'_>, mut asm: Asm, constants: &[Constant]) -> Option<Asm> {
    asm.enter();
    asm.keep(constants);
    asm.count_rows();
    let next = asm.target.registers() - constants.len() as Vector;
    let mut registers = Registers { next, masks: 0, flags: 0 };
    let carried = of.carries.iter().map(|carry| Some((carry.reg, registers.keep()?)));
    let kept = carried.collect::<Option<Vec<_>>>()?;
    for (reg, vector) in &kept {
        asm.address((*reg).into());
        asm.emit(REPEAT, *vector, 0, Rm::Element);
    }
    let around = Loop { ops: of.ops, inputs: of.inputs, outputs: &[], folds: &[], prefetches: &[], first: 0 };
    let begun = Begun {
        of: &around,
        ops: of.ops.to_vec(),
        kept,
        folds: Vec::new(),
        divisors: Vec::new(),
        free: registers.next,
    };
    let top = asm.code.len();
    asm.counting = true;
    let ended = Step::new(&mut asm, &begun, (&[], &[]), (0, 1), false)?.trip(of)?;
    asm.counting = false;
    let last = asm.jump_at_last_row();
    let back = asm.jump();
    asm.fill(back, top);
    asm.land(last);
    let carries = || of.carries.iter().map(|carry| carry.reg);
    let vectors: Vec<Vector> = begun.kept.iter().map(|(_, vector)| *vector).collect();
    carries().zip(vectors).for_each(|(to, vector)| store(&mut asm, to, vector));
    asm.leave();
    if let (Some(Ended { jump, holds, carried }), Some(test)) = (ended, of.test) {
        asm.land(jump);
        carries().zip(carried).for_each(|(to, vector)| store(&mut asm, to, vector));
        store(&mut asm, test.ended, holds);
        asm.leave();
    }
    (!asm.missing).then_some(asm)
}

/// The first lane of a register.
fn store(asm: &mut Asm, to: Reg, vector: Vector) {
    asm.address(to.into());
    asm.emit(if asm.double { STORE_64 } else { STORE_ONE }, vector, 0, Rm::Element);
}

/// The jump out of the loop at its test, and where values are then.
struct Ended {
    jump: usize,
    holds: Vector,
    carried: Vec<Vector>,
}

impl Step<'_> {
    /// Write one trip.
    fn trip(mut self, of: &ScalarLoop<'_>) -> Option<Option<Ended>> {
        let last = last_uses(of, self.at.len());
        let mut ended = None;
        for at in 0..=of.ops.len() {
            if let Some(test) = of.test.filter(|test| test.at == at) {
                ended = Some(self.leave_unless(&test)?);
            }
            let Some(op) = of.ops.get(at) else { break };
            op.sources().into_iter().try_for_each(|reg| self.read(reg))?;
            let to = self.take()?;
            self.computed(op, to)?;
            self.at[op.target() as usize] = Some(to);
            self.drop_done(at, &last);
        }
        self.hand_on(of.carries)?;
        self.asm.spare = self.asm.spare.min(self.least);
        Some(ended)
    }

    fn leave_unless(&mut self, test: &Test<'_>) -> Option<Ended> {
        self.read(test.holds)?;
        test.carries.iter().try_for_each(|reg| self.read(*reg))?;
        let [flag, ..] = FLAGS;
        let holds = self.first_of(test.holds)?;
        // Lanes of 64 bits are two of 32 that are alike.
        let double = std::mem::replace(&mut self.asm.double, false);
        self.asm.keep_lanes(flag, holds);
        self.asm.double = double;
        let jump = self.asm.jump_if_none(flag);
        let carried = test.carries.iter().map(|reg| self.first_of(*reg)).collect::<Option<_>>()?;
        Some(Ended { jump, holds, carried })
    }

    fn first_of(&self, reg: Reg) -> Option<Vector> {
        self.vector(reg).map(|Wide([first, ..])| first)
    }

    /// Let carries be what they are in the next trip, all at once.
    fn hand_on(&mut self, carries: &[Carry]) -> Option<()> {
        let moves = carries.iter().filter(|carry| carry.next != carry.reg);
        let moves: Vec<(Reg, Reg)> = moves.map(|carry| (carry.reg, carry.next)).collect();
        let mut from = Vec::new();
        for (_, next) in &moves {
            self.read(*next)?;
            let own = self.vector(*next)?;
            // What is a carry itself is written over.
            from.push(if moves.iter().any(|(reg, _)| reg == next) {
                let aside = self.take()?;
                self.put_one(MOVE, aside, Arg::Each(own));
                aside
            } else {
                own
            });
        }
        for ((reg, _), from) in moves.iter().zip(from) {
            let to = Wide([self.first_of(*reg)?; MOST]);
            self.put_one(MOVE, to, Arg::Each(from));
        }
        Some(())
    }

    /// Registers of values that are read for the last time at an op, or before it, are free again.
    fn drop_done(&mut self, at: usize, last: &[usize]) {
        for (reg, last) in last.iter().enumerate() {
            let is_kept = self.of.kept.iter().any(|(kept, _)| usize::from(*kept) == reg);
            if *last <= at
                && !is_kept
                && let Some(vector) = self.at[reg].take()
            {
                self.give([vector]);
            }
        }
    }
}

/// The op at which each value is read for the last time; what the next trip needs is read behind all.
fn last_uses(of: &ScalarLoop<'_>, count: usize) -> Vec<usize> {
    let mut last = vec![0; count];
    for (at, op) in of.ops.iter().enumerate() {
        op.sources().iter().chain([&op.target()]).for_each(|reg| last[usize::from(*reg)] = at);
    }
    if let Some(test) = of.test {
        let read = test.carries.iter().chain([&test.holds]);
        read.for_each(|reg| last[usize::from(*reg)] = last[usize::from(*reg)].max(test.at));
    }
    of.carries.iter().for_each(|carry| last[usize::from(carry.next)] = usize::MAX);
    last
}
