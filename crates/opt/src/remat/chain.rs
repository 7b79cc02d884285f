//! What it takes to make one value of a block again, later in the same block.

use super::schedule::Schedule;
use super::work;
use crate::effects::is_pure;
use meshwright_ir::op::CollectiveKind;
use meshwright_ir::{Function, InstId, Op, ValueId};

/// Longer chains save little for what they cost.
const LONGEST: usize = 24;
/// What is so many times smaller than the value is kept rather than made again.
pub(super) const SMALL: i64 = 8;

/// How to make a value again.
pub(super) struct Chain {
    pub value: ValueId,
    /// The place of the instruction it is made for.
    pub next_use: usize,
    /// What is run again, in order; the value's own instruction is the last.
    pub insts: Vec<InstId>,
    /// Flops and seconds of one time.
    pub cost: (f64, f64),
    /// Bytes it gives back at the peak, less what has to be kept for it.
    pub saved: i64,
}

impl Chain {
    /// For a value that is kept over a place where it is not used.
    pub fn find(schedule: &Schedule<'_>, value: ValueId, peak: usize) -> Option<Chain> {
        let made_at = schedule.made_at(value)?;
        let uses = &schedule.uses[value];
        if made_at >= peak || schedule.stays(value) || uses.contains(&peak) {
            return None;
        }
        let next_use = *uses.iter().find(|place| **place > peak)?;
        let mut search = Search { schedule, value, peak, next_use, insts: Vec::new(), kept: 0 };
        let inst = search.repeatable(value)?;
        if !search.run(inst) {
            return None;
        }
        let (insts, saved) = (search.insts, schedule.bytes(value) - search.kept);
        let cost = work::of_all(schedule.func, &insts);
        (saved > 0).then_some(Chain { value, next_use, insts, cost, saved })
    }
}

/// Whether an instruction may be run twice. Of collectives those that only move; without operands nothing would keep
/// the two apart.
pub(super) fn is_repeatable(func: &Function, inst: InstId) -> bool {
    let info = func.inst(inst);
    let is_plain = !info.operands.is_empty() && info.results.len() == 1 && info.regions.is_empty();
    let stays = match &info.op {
        Op::Collective(collective) => matches!(
            collective.kind,
            CollectiveKind::AllReduce | CollectiveKind::ReduceScatter { .. } | CollectiveKind::AllToAllTuple
        ),
        op => matches!(
            op,
            Op::Call(_) | Op::Foreign(_) | Op::Token(_) | Op::Sharding(_) | Op::OptimizationBarrier
        ),
    };
    is_plain && !stays && is_pure(func, inst)
}

/// A list of instructions to run again, each behind all it needs.
pub(super) trait Again {
    fn func(&self) -> &Function;
    fn insts(&mut self) -> &mut Vec<InstId>;
    /// Have an operand at hand; whether that is possible.
    fn has(&mut self, operand: ValueId) -> bool;

    /// Add an instruction behind all it needs; whether that is possible.
    fn run(&mut self, inst: InstId) -> bool {
        if self.insts().contains(&inst) {
            return true;
        }
        if self.insts().len() >= LONGEST {
            return false;
        }
        let operands = self.func().inst(inst).operands.clone();
        let has_all = operands.iter().all(|operand| self.has(*operand));
        self.insts().push(inst);
        has_all && self.insts().len() <= LONGEST
    }
}

struct Search<'a, 'f> {
    schedule: &'a Schedule<'f>,
    value: ValueId,
    peak: usize,
    next_use: usize,
    insts: Vec<InstId>,
    /// Bytes that would die before the peak, and have to be kept.
    kept: i64,
}

impl Search<'_, '_> {
    /// The instruction that makes a value, if it may be run twice.
    fn repeatable(&self, value: ValueId) -> Option<InstId> {
        let func = self.schedule.func;
        let inst = func.def_inst(value).filter(|inst| self.schedule.places[*inst].is_some())?;
        is_repeatable(func, inst).then_some(inst)
    }
}

impl Again for Search<'_, '_> {
    fn func(&self) -> &Function {
        self.schedule.func
    }

    fn insts(&mut self) -> &mut Vec<InstId> {
        &mut self.insts
    }

    /// It is alive, or it is made again, or kept.
    fn has(&mut self, operand: ValueId) -> bool {
        if self.schedule.is_alive(operand, self.next_use) {
            return true;
        }
        let bytes = self.schedule.bytes(operand);
        let is_small = bytes.saturating_mul(SMALL) <= self.schedule.bytes(self.value);
        let before = (self.insts.len(), self.kept);
        if let (Some(inst), false) = (self.repeatable(operand), is_small) {
            if self.run(inst) {
                return true;
            }
            self.insts.truncate(before.0);
            self.kept = before.1;
        }
        if !self.schedule.is_alive(operand, self.peak) {
            self.kept = self.kept.saturating_add(bytes);
        }
        self.kept < self.schedule.bytes(self.value)
    }
}
