//! Program peak: the most bytes of values alive at one time on one device, in program order.
//!
//! A value lives from its definition to its last use, a block's results to the block's end. Parameters that are not
//! donated live throughout. A region's own peak counts at its instruction; values used inside a region are used there.
//! Nothing is fused, and nothing shares storage but views ([`viewed`]): a measure to compare programs by, not what an
//! engine allocates.
//!
//! [`at_peak`] says what is alive then, for a user who has to make it smaller.

use meshwright_base::IdMap;
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::Movement;
use meshwright_ir::{BlockId, Def, FuncId, Function, Inst, InstId, Module, Op, ValueId};
use std::cell::RefCell;

/// Program peak of a module's entry, in bytes.
pub fn program_peak(module: &Module) -> i64 {
    function_peak(module, module.entry, 0)
}

fn function_peak(module: &Module, func: FuncId, depth: usize) -> i64 {
    const DEEPEST: usize = 256;
    let Some(func) = module.funcs.get(func).filter(|_| depth < DEEPEST) else { return 0 };
    PeakWalk::new(module, func, depth).block(func.root(), true)
}

/// Values of the entry that are alive at its peak, the largest first. What a call or a region adds to it is not among
/// them.
pub fn at_peak(module: &Module) -> Vec<ValueId> {
    let func = module.main();
    let walk = PeakWalk::new(module, func, 0);
    let mut alive = walk.alive(func.root(), true);
    alive.retain(|value| room(func, *value) > 0);
    alive.arrange_by_key(|value| (-func.ty(*value).byte_size(), *value));
    alive
}

/// What a value is seen through: behind a barrier, in another shape, or repeated, it is still the value that was given.
/// Every engine knows these without moving anything.
#[inline]
pub fn viewed(func: &Function, value: ValueId) -> Option<ValueId> {
    let Def::Result { inst, index } = func.value(value).def else { return None };
    let info = func.inst(inst);
    match &info.op {
        Op::OptimizationBarrier => info.operands.get(index).copied(),
        Op::Movement(Movement::Broadcast(_) | Movement::Reshape(_)) => info.operands.first().copied(),
        _ => None,
    }
}

/// The value whose storage a value shares: itself, if it is no view.
#[inline]
pub fn storage(func: &Function, value: ValueId) -> ValueId {
    std::iter::successors(Some(value), |value| viewed(func, *value)).last().unwrap_or(value)
}

/// Bytes of a value of its own: a view has none, nor what counts positions or is one element repeated.
pub fn room(func: &Function, value: ValueId) -> i64 {
    let is_free = match func.def_inst(value).map(|inst| &func.inst(inst).op) {
        Some(Op::Iota(_)) => true,
        Some(Op::Constant(constant)) => constant.0.as_splat().is_some(),
        _ => viewed(func, value).is_some(),
    };
    if is_free { 0 } else { func.ty(value).byte_size() }
}

/// A block in which the peak is reached, and where.
#[derive(Clone, PartialEq, Debug)]
pub struct Level {
    pub block: BlockId,
    /// The place of the instruction in the block.
    pub place: usize,
    /// Values of the block that are alive there and take room.
    pub alive: Vec<ValueId>,
}

/// The blocks in which the entry's peak is reached, from the root on into the regions that run then. Empty if it is
/// reached before the first instruction.
pub fn peak_levels(module: &Module) -> Vec<Level> {
    let func = module.main();
    let walk = PeakWalk::new(module, func, 0);
    let mut levels = Vec::new();
    let mut next = Some(func.root());
    while let Some(block) = next {
        let is_root = block == func.root();
        let Some(place) = walk.peak(block, is_root).1 else { break };
        let mut alive = walk.alive(block, is_root);
        alive.retain(|value| room(func, *value) > 0);
        levels.push(Level { block, place, alive });
        next = walk.largest_region(func.block(block).insts[place]);
    }
    levels
}

/// When a value dies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Last {
    /// Behind the instruction at this place of its block.
    Place(usize),
    /// Not in its block: it is returned, or nobody uses it.
    Never,
}

struct PeakWalk<'a> {
    module: &'a Module,
    func: &'a Function,
    depth: usize,
    /// What each value takes, and what it is a view of.
    room: IdMap<ValueId, i64>,
    viewed: IdMap<ValueId, Option<ValueId>>,
    /// Of the values of the blocks that are looked at.
    last: RefCell<IdMap<ValueId, Last>>,
}

impl<'a> PeakWalk<'a> {
    fn new(module: &'a Module, func: &'a Function, depth: usize) -> Self {
        let last = RefCell::new(IdMap::filled(func.value_count(), Last::Never));
        let room = func.values().keys().map(|value| room(func, value)).collect();
        let viewed = func.values().keys().map(|value| viewed(func, value)).collect();
        PeakWalk { module, func, depth, room, viewed, last }
    }

    /// Peak of one block, its parameters included only for the root (elsewhere they are values of the outside).
    fn block(&self, block: BlockId, is_root: bool) -> i64 {
        self.peak(block, is_root).0
    }

    /// The peak, and the place of the instruction where it is reached; `None` is before the first.
    fn peak(&self, block: BlockId, is_root: bool) -> (i64, Option<usize>) {
        let info = self.func.block(block);
        self.note_last_uses(block);
        let bytes = |value: ValueId| self.room[value];
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
            let mut last = self.last.borrow_mut();
            let mut end = |value: ValueId| {
                let dies = self.is_of(block, value) && last[value] == Last::Place(place);
                if !dies {
                    return;
                }
                // What is used twice dies once.
                last[value] = Last::Never;
                let stays = match self.func.value(value).def {
                    Def::Param { index, .. } => kept(index) || !is_root,
                    Def::Result { .. } => false,
                };
                live -= if stays { 0 } else { bytes(value) };
            };
            self.each_used(*inst, |value| self.behind_views(value).for_each(&mut end));
            self.func.inst(*inst).results.iter().for_each(|value| end(*value));
        }
        peak
    }

    /// Values of a block that are alive where its peak is reached; parameters only of the root.
    fn alive(&self, block: BlockId, is_root: bool) -> Vec<ValueId> {
        let info = self.func.block(block);
        let (_, at) = self.peak(block, is_root);
        self.note_last_uses(block);
        let last = self.last.borrow();
        let outlives = |value: ValueId| at.is_none_or(|at| last[value] >= Last::Place(at));
        let stays = |index: usize| self.func.params.get(index).is_none_or(|info| info.donation.is_none());
        let params = info.params.iter().enumerate().filter(|_| is_root);
        let params = params.filter(|(index, value)| stays(*index) || outlives(**value));
        let made = at.map_or(0, |at| at + 1);
        let results = info.insts.iter().take(made).flat_map(|inst| &self.func.inst(*inst).results);
        let results = results.filter(|value| outlives(**value));
        params.map(|(_, value)| value).chain(results).copied().collect()
    }

    /// A value, and those that it is a view of.
    fn behind_views(&self, value: ValueId) -> impl Iterator<Item = ValueId> {
        std::iter::successors(Some(value), |value| self.viewed[*value])
    }

    /// Whether a value is a block's own.
    fn is_of(&self, block: BlockId, value: ValueId) -> bool {
        match self.func.value(value).def {
            Def::Param { block: of, .. } => of == block,
            Def::Result { inst, .. } => self.func.block_of(inst) == block,
        }
    }

    /// Note when each of a block's values dies.
    fn note_last_uses(&self, block: BlockId) {
        let info = self.func.block(block);
        let mut last = self.last.borrow_mut();
        for param in &info.params {
            last[*param] = Last::Never;
        }
        for (place, inst) in info.insts.iter().enumerate() {
            for result in &self.func.inst(*inst).results {
                last[*result] = Last::Place(place);
            }
            self.each_used(*inst, |value| {
                if self.is_of(block, value) {
                    last[value] = Last::Place(place);
                }
            });
        }
        for result in info.results.iter().filter(|value| self.is_of(block, **value)) {
            last[*result] = Last::Never;
        }
        let results = info.insts.iter().rev().flat_map(|inst| &self.func.inst(*inst).results);
        for result in results {
            if let Some(given) = self.viewed[*result].filter(|given| self.is_of(block, *given)) {
                last[given] = last[given].max(last[*result]);
            }
        }
    }

    /// Operands of an instruction and everything its regions use.
    fn each_used(&self, inst: InstId, mut note: impl FnMut(ValueId)) {
        let info = self.func.inst(inst);
        info.operands.iter().for_each(|value| note(*value));
        if !info.regions.is_empty() {
            self.each_used_inside(info, &mut note);
        }
    }

    fn each_used_inside(&self, info: &Inst, note: &mut dyn FnMut(ValueId)) {
        for region in info.regions.iter().map(|region| self.func.block(*region)) {
            region.results.iter().for_each(|value| note(*value));
            for inner in region.insts.iter().map(|inst| self.func.inst(*inst)) {
                inner.operands.iter().for_each(|value| note(*value));
                self.each_used_inside(inner, note);
            }
        }
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

    /// The region whose peak is an instruction's.
    fn largest_region(&self, inst: InstId) -> Option<BlockId> {
        let info = self.func.inst(inst);
        let runs = matches!(info.op, Op::Control(_) | Op::Scan(_) | Op::Sharding(_));
        let peaks = info.regions.iter().filter(|_| runs).map(|region| (self.block(*region, false), *region));
        peaks.filter(|(peak, _)| *peak > 0).max_by_key(|(peak, _)| *peak).map(|(_, region)| region)
    }
}
