//! Loops of the program whose values are single numbers: all trips run in registers, as machine code.
//!
//! The code comes back every so many trips, so that a launch that is to end is not kept up by a loop that does not.

use crate::isa::Isa;
use crate::step::{Bases, BufId};
use meshwright_ir::DType;
use meshwright_jit::{Carry, Code, From, Port, Reg, ScalarLoop, Target, Test, TileOp, compile_scalar_loop};
use meshwright_runtime::{RunError, Workers};
use meshwright_steps::{Access, Extent};

/// Trips until the code comes back.
const TRIPS: i64 = 1 << 16;
/// Ops of a trip at most.
const OPS: usize = 400;

/// A loop, before it is compiled.
#[derive(Clone, Debug, Default)]
pub struct Scalars {
    /// Of one trip; each has a target of its own.
    pub ops: Vec<TileOp>,
    /// Read, and never written.
    pub inputs: Vec<(Reg, DType)>,
    pub carries: Vec<Carry>,
    /// How many ops come before the test, what holds if the loop goes on, and what each carry is then.
    pub test: Option<(usize, Reg, Vec<Reg>)>,
    /// Where operands and carries lie: a buffer, and bytes into it.
    pub places: Vec<(Reg, BufId, isize)>,
    /// How many values there are.
    pub count: Reg,
    /// How many trips there are at most.
    pub trips: i64,
}

#[derive(Clone, Debug)]
pub struct ScalarLoopStep {
    of: Scalars,
    code: Code,
}

impl ScalarLoopStep {
    /// `None` if there is no code for it.
    pub fn of(of: Scalars) -> Option<ScalarLoopStep> {
        let target = match Isa::used().target()? {
            // Both give the same bits; where a comparison leaves lanes of ones, a value is never in a mask.
            Target::Avx2 | Target::Avx512 => Target::Avx2,
            Target::Neon => Target::Neon,
        };
        if of.ops.len() > OPS {
            return None;
        }
        let inputs = of.inputs.iter().map(|(reg, dtype)| Port { reg: *reg, dtype: *dtype, at: From::One });
        let inputs: Vec<Port<From>> = inputs.collect();
        let test = of.test.as_ref();
        let test = test.map(|(at, holds, carries)| Test { at: *at, holds: *holds, carries, ended: of.count });
        let code = ScalarLoop { ops: &of.ops, inputs: &inputs, carries: &of.carries, test };
        let code = compile_scalar_loop(target, &code)?;
        Some(ScalarLoopStep { of, code })
    }

    pub fn accesses(&self) -> Vec<Access> {
        let carried = |reg: &Reg| self.of.carries.iter().any(|carry| carry.reg == *reg);
        let read = self.of.places.iter().map(|(_, buf, _)| Access::read(*buf, Extent::All));
        let written = self.of.places.iter().filter(|(reg, ..)| carried(reg));
        read.chain(written.map(|(_, buf, _)| Access::write(*buf, Extent::All))).collect()
    }

    /// How many ops a trip has.
    pub fn ops(&self) -> usize {
        self.of.ops.len()
    }

    pub fn run(&self, bases: &Bases, workers: &dyn Workers) -> Result<(), RunError> {
        let mut goes_on = u64::MAX;
        let mut streams = vec![std::ptr::null_mut::<u8>(); usize::from(self.of.count) + 1];
        for (reg, buf, offset) in &self.of.places {
            streams[usize::from(*reg)] = bases.at(*buf).wrapping_offset(*offset);
        }
        streams[usize::from(self.of.count)] = (&raw mut goes_on).cast();
        let mut left = self.of.trips;
        while left > 0 && goes_on != 0 {
            if let Some(error) = workers.stop() {
                return Err(error);
            }
            let now = left.min(TRIPS);
            // SAFETY: an operand or a carry lies at each place that the code was made with, and behind them eight
            // bytes that say whether the loop ended; the CPU has the instructions.
            unsafe { self.code.run(&mut streams, 1, now as usize) };
            // Zeros of four bytes are stored where values have four.
            goes_on = if goes_on as u32 == 0 { 0 } else { u64::MAX };
            left -= now;
        }
        Ok(())
    }
}
