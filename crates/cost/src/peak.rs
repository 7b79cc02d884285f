//! Program peak: the most bytes of values alive at one time on one device, in program order.
//!
//! A value lives from its definition to its last use, a block's results to the block's end. Parameters that are not
//! donated live throughout. A region's own peak counts at its instruction; values used inside a region are used there.
//! Nothing is fused and nothing shares storage, but for what passes a barrier: a measure to compare programs by, not what an engine allocates.
//!
//! [`at_peak`] says what is alive then, for a user who has to make it smaller.

use meshwright_ground::IdMap;
use meshwright_ir::{BlockId, Def, FuncId, Function, InstId, Module, Op, ValueId};

/// Program peak of a module's entry, in bytes.
pub fn program_peak(module: &Module) -> i64 {
    function_peak(module, module.entry, 0)
}

fn function_peak(module: &Module, func: FuncId, depth: usize) -> i64 {
    const DEEPEST: usize = 256;
    let Some(func) = module.funcs.get(func).filter(|_| depth < DEEPEST) else { return 0 };
    Walk { module, func, depth }.block(func.root(), true)
}

/// Values of the entry that are alive at its peak, the largest first. What a call or a region adds to it is not among
/// them.
pub fn at_peak(module: &Module) -> Vec<ValueId> {
    let func = module.main();
    let walk = Walk { module, func, depth: 0 };
    let mut alive = walk.alive(func.root());
    alive.sort_by_key(|value| (-func.ty(*value).byte_size(), *value));
    alive
}

/// The place in the entry's block of the instruction at which the peak is reached; `None` if it is before the first.
pub fn peak_place(module: &Module) -> Option<usize> {
    let func = module.main();
    Walk { module, func, depth: 0 }.peak(func.root(), true).1
}

struct Walk<'a> {
    module: &'a Module,
    func: &'a Function,
    depth: usize,
}

impl Walk<'_> {
    /// Peak of one block, its parameters included only for the root (elsewhere they are values of the outside).
    fn block(&self, block: BlockId, is_root: bool) -> i64 {
        self.peak(block, is_root).0
    }

    /// The peak, and the place of the instruction where it is reached; `None` is before the first.
    fn peak(&self, block: BlockId, is_root: bool) -> (i64, Option<usize>) {
        let info = self.func.block(block);
        let last = self.last_uses(block);
        let bytes = |value: ValueId| self.bytes(value);
        let kept =
            |index: usize| is_root && self.func.params.get(index).is_none_or(|info| info.donation.is_none());
        let mut live: i64 = info.params.iter().map(|value| bytes(*value)).sum::<i64>() * i64::from(is_root);
        let mut peak = (live, None);
        for (place, inst) in info.insts.iter().enumerate() {
            let made: i64 = self.func.inst(*inst).results.iter().map(|value| bytes(*value)).sum();
            live += made;
            let now = live + self.inside(*inst);
            if now > peak.0 {
                peak = (now, Some(place));
            }
            let operands = self.used_by(*inst);
            let results = &self.func.inst(*inst).results;
            let given = operands.iter().flat_map(|value| self.behind_barriers(*value));
            let mut dead: Vec<ValueId> = given.chain(results.iter().copied()).collect();
            dead.sort_unstable();
            dead.dedup();
            for value in dead.into_iter().filter(|value| last[*value] == Some(place)) {
                let stays = info
                    .params
                    .iter()
                    .position(|param| *param == value)
                    .is_some_and(|at| kept(at) || !is_root);
                live -= if stays { 0 } else { bytes(value) };
            }
        }
        peak
    }

    /// Values of the root that are alive where its peak is reached.
    fn alive(&self, root: BlockId) -> Vec<ValueId> {
        let info = self.func.block(root);
        let (_, at) = self.peak(root, true);
        let last = self.last_uses(root);
        let outlives = |value: ValueId| last[value].is_none_or(|last| at.is_none_or(|at| last >= at));
        let stays = |index: usize| self.func.params.get(index).is_none_or(|info| info.donation.is_none());
        let params = info.params.iter().enumerate();
        let params = params.filter(|(index, value)| stays(*index) || outlives(**value));
        let made = at.map_or(0, |at| at + 1);
        let results = info.insts.iter().take(made).flat_map(|inst| &self.func.inst(*inst).results);
        let results = results.filter(|value| outlives(**value));
        params.map(|(_, value)| value).chain(results).copied().collect()
    }

    /// What a barrier returns is what it was given.
    fn bytes(&self, value: ValueId) -> i64 {
        match self.func.def_inst(value).map(|inst| &self.func.inst(inst).op) {
            Some(Op::OptimizationBarrier) => 0,
            _ => self.func.ty(value).byte_size(),
        }
    }

    /// A value, and those that barriers returned as it.
    fn behind_barriers(&self, value: ValueId) -> impl Iterator<Item = ValueId> {
        std::iter::successors(Some(value), |value| match self.func.value(*value).def {
            Def::Result { inst, index } if matches!(self.func.inst(inst).op, Op::OptimizationBarrier) => {
                self.func.inst(inst).operands.get(index).copied()
            }
            Def::Result { .. } | Def::Param { .. } => None,
        })
    }

    /// For each value of this block, the place of the instruction after which it is dead; `None` if it is not this
    /// block's or is returned.
    fn last_uses(&self, block: BlockId) -> IdMap<ValueId, Option<usize>> {
        let info = self.func.block(block);
        let mut mine = IdMap::filled(self.func.value_count(), false);
        let mut last = IdMap::filled(self.func.value_count(), None);
        for param in &info.params {
            mine[*param] = true;
        }
        for (place, inst) in info.insts.iter().enumerate() {
            for result in &self.func.inst(*inst).results {
                mine[*result] = true;
                last[*result] = Some(place);
            }
            for value in self.used_by(*inst) {
                if mine[value] {
                    last[value] = Some(place);
                }
            }
        }
        for result in &info.results {
            last[*result] = None;
        }
        for inst in info.insts.iter().rev().map(|inst| self.func.inst(*inst)) {
            if matches!(inst.op, Op::OptimizationBarrier) {
                for (given, result) in
                    inst.operands.iter().zip(&inst.results).filter(|(given, _)| mine[**given])
                {
                    last[*given] = later(last[*given], last[*result]);
                }
            }
        }
        last
    }

    /// Operands of an instruction and everything its regions use.
    fn used_by(&self, inst: InstId) -> Vec<ValueId> {
        let info = self.func.inst(inst);
        let mut used = info.operands.clone();
        for region in &info.regions {
            used.extend_from_slice(&self.func.block(*region).results);
            for inner in &self.func.block(*region).insts {
                used.extend(self.used_by(*inner));
            }
        }
        used
    }

    /// Peak of what runs inside an instruction.
    fn inside(&self, inst: InstId) -> i64 {
        let info = self.func.inst(inst);
        match &info.op {
            Op::Call(call) => {
                let operands: i64 = info.operands.iter().map(|value| self.func.ty(*value).byte_size()).sum();
                let results: i64 = info.results.iter().map(|value| self.func.ty(*value).byte_size()).sum();
                (function_peak(self.module, call.callee, self.depth + 1) - operands - results).max(0)
            }
            Op::Control(_) | Op::Scan(_) | Op::Sharding(_) => {
                info.regions.iter().map(|region| self.block(*region, false)).max().unwrap_or(0)
            }
            _ => 0,
        }
    }
}

/// The later of two last uses; what is returned outlives the block.
fn later(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    Some(a?.max(b?))
}
