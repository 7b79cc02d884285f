//! What it takes to make one value again, and what flops a program has.

use super::Schedule;
use crate::effects::is_pure;
use meshwright_cost::compute;
use meshwright_ir::op::Control;
use meshwright_ir::{BlockId, FuncId, Function, InstId, Module, Op, Type, ValueId};

/// Longer chains save little for what they cost.
const LONGEST: usize = 24;
/// What is so many times smaller than the value is kept rather than made again.
const SMALL: i64 = 8;

/// How to make a value again.
pub(super) struct Chain {
    pub value: ValueId,
    /// The place of the instruction it is made for.
    pub next_use: usize,
    /// What is run again, in order; the value's own instruction is the last.
    pub insts: Vec<InstId>,
    pub flops: f64,
    /// Bytes it gives back at the peak, less what has to be kept for it.
    saved: i64,
}

impl Chain {
    /// For a value that is kept over a place where it is not used.
    pub fn find(schedule: &Schedule<'_>, value: ValueId, peak: usize) -> Option<Chain> {
        let made_at = schedule.made_at(value)?;
        let uses = &schedule.uses[value];
        if made_at >= peak || schedule.is_returned[value] || uses.contains(&peak) {
            return None;
        }
        let next_use = *uses.iter().find(|place| **place > peak)?;
        let mut search = Search { schedule, value, peak, next_use, insts: Vec::new(), kept: 0 };
        let inst = search.repeatable(value)?;
        if !search.run(inst) {
            return None;
        }
        let (insts, saved) = (search.insts, schedule.bytes(value) - search.kept);
        let flops = insts.iter().map(|inst| flops_of(schedule.func, *inst)).sum();
        (saved > 0).then_some(Chain { value, next_use, insts, flops, saved })
    }

    /// Flops per byte.
    pub fn price(&self) -> f64 {
        self.flops / self.saved as f64
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
    /// The instruction that makes a value, if it may be run twice. Without operands nothing would keep the two apart.
    fn repeatable(&self, value: ValueId) -> Option<InstId> {
        let func = self.schedule.func;
        let inst = func.def_inst(value).filter(|inst| self.schedule.places[*inst].is_some())?;
        let info = func.inst(inst);
        let is_plain = !info.operands.is_empty() && info.results.len() == 1 && info.regions.is_empty();
        let stays = matches!(
            info.op,
            Op::Collective(_) | Op::Call(_) | Op::Foreign(_) | Op::Token(_) | Op::Sharding(_)
        );
        (is_plain && !stays && is_pure(func, inst)).then_some(inst)
    }

    /// Add an instruction behind all it needs; whether that is possible.
    fn run(&mut self, inst: InstId) -> bool {
        if self.insts.contains(&inst) {
            return true;
        }
        if self.insts.len() >= LONGEST {
            return false;
        }
        let operands = &self.schedule.func.inst(inst).operands;
        let has_all = operands.iter().all(|operand| self.has(*operand));
        self.insts.push(inst);
        has_all && self.insts.len() <= LONGEST
    }

    /// Have an operand at hand: it is alive, or it is made again, or kept.
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

fn flops_of(func: &Function, inst: InstId) -> f64 {
    let info = func.inst(inst);
    let types =
        |values: &[ValueId]| -> Vec<Type> { values.iter().map(|value| func.ty(*value).clone()).collect() };
    let (operands, results) = (types(&info.operands), types(&info.results));
    compute::work(&info.op, &operands.iter().collect::<Vec<_>>(), &results.iter().collect::<Vec<_>>()).flops
}

/// Flops of the entry, loops as often as they run.
pub(super) fn entry_flops(module: &Module) -> f64 {
    function_flops(module, module.entry, 0)
}

fn function_flops(module: &Module, func: FuncId, depth: usize) -> f64 {
    const DEEPEST: usize = 64;
    match module.funcs.get(func) {
        Some(func) if depth < DEEPEST => block_flops(module, func, func.root(), depth),
        _ => 0.0,
    }
}

fn block_flops(module: &Module, func: &Function, block: BlockId, depth: usize) -> f64 {
    func.block(block).insts.iter().map(|inst| inst_flops(module, func, *inst, depth)).sum()
}

fn inst_flops(module: &Module, func: &Function, inst: InstId, depth: usize) -> f64 {
    let info = func.inst(inst);
    let inside =
        || info.regions.iter().map(|region| block_flops(module, func, *region, depth + 1)).sum::<f64>();
    match &info.op {
        Op::Call(call) => function_flops(module, call.callee, depth + 1),
        Op::Scan(scan) => inside() * scan.trips as f64,
        Op::Control(Control::While) => {
            inside() * meshwright_cost::traffic::trip_count(func, inst).unwrap_or(1) as f64
        }
        Op::Control(_) | Op::Sharding(_) => inside(),
        _ => flops_of(func, inst),
    }
}
