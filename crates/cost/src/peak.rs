//! Program peak: the most bytes of values alive at one time on one device, in program order.
//!
//! A value lives from its definition to its last use, a block's results to the block's end. Parameters that are not
//! donated live throughout. A region's own peak counts at its instruction; values used inside a region are used there.
//! Nothing is fused, and nothing shares storage but views ([`viewed`]): a measure to compare programs by, not what an
//! engine allocates.
//!
//! [`held_peak`] is nearer to that for a machine whose compiler fuses loops: what only the loops that make it read is
//! nowhere, and they hold what it was made of. A loop writes over what it reads last, where that has as many elements;
//! so does what changes a part of its first operand, what is added to a product, and what goes from trip to trip: what
//! a loop's body gives to the next trip lies where it was given the same, if that is not read any more. Where products
//! round what they are given to 16 bits, what only they read is kept so.
//!
//! [`at_peak`] says what is alive then, for a user who has to make it smaller.

use crate::activity::Inlined;
use crate::machine::Habits;
use crate::view::viewed_by;
pub use crate::view::{storage, viewed};
use meshwright_base::IdMap;
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::Control;
use meshwright_ir::{BlockId, Def, FuncId, Function, Inst, InstId, Module, Op, ValueId};

/// Program peak of a module's entry, in bytes.
pub fn program_peak(module: &Module) -> i64 {
    held_peak(module, Habits::PLAIN)
}

/// Bytes at the peak of a module's entry, on a machine whose compiler has these habits.
pub fn held_peak(module: &Module, habits: Habits) -> i64 {
    function_peak(module, module.entry, 0, habits)
}

fn function_peak(module: &Module, func: FuncId, depth: usize, habits: Habits) -> i64 {
    const DEEPEST: usize = 256;
    let Some(func) = module.funcs.get(func).filter(|_| depth < DEEPEST) else { return 0 };
    PeakWalk::new(module, func, depth, habits).peak(func.root(), true).0
}

/// Values of the entry that are alive at its peak, the largest first. What a call or a region adds to it is not among
/// them.
pub fn at_peak(module: &Module) -> Vec<ValueId> {
    let func = module.main();
    let mut walk = PeakWalk::new(module, func, 0, Habits::PLAIN);
    let (_, at) = walk.peak(func.root(), true);
    let mut alive = walk.alive(func.root(), true, at);
    alive.retain(|value| room(func, *value) > 0);
    alive.arrange_by_key(|value| (-func.ty(*value).byte_size(), *value));
    alive
}

/// Bytes alive at each instruction of the entry, in program order: their maximum is the [`program_peak`], unless that
/// is reached before the first.
pub fn peak_curve(module: &Module) -> Vec<i64> {
    PeakWalk::new(module, module.main(), 0, Habits::PLAIN).curve()
}

/// Bytes of a value of its own: a view has none, nor what counts positions or is one element repeated.
pub fn room(func: &Function, value: ValueId) -> i64 {
    room_and_view(func, value).0
}

/// Bytes of a value of its own, and what it is a view of.
#[inline]
fn room_and_view(func: &Function, value: ValueId) -> (i64, Option<ValueId>) {
    let info = func.value(value);
    let Def::Result { inst, index } = info.def else { return (info.ty.byte_size(), None) };
    let made_by = func.inst(inst);
    let given = viewed_by(made_by, index);
    let is_free = given.is_some()
        || match &made_by.op {
            Op::Iota(_) => true,
            Op::Constant(constant) => constant.0.as_splat().is_some(),
            _ => false,
        };
    (if is_free { 0 } else { info.ty.byte_size() }, given)
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
    held_levels(module, Habits::PLAIN)
}

/// The same of [`held_peak`].
pub fn held_levels(module: &Module, habits: Habits) -> Vec<Level> {
    let func = module.main();
    let mut walk = PeakWalk::new(module, func, 0, habits);
    let mut levels = Vec::new();
    let mut next = Some(func.root());
    while let Some(block) = next {
        let is_root = block == func.root();
        let Some(place) = walk.peak(block, is_root).1 else { break };
        let mut alive = walk.alive(block, is_root, Some(place));
        alive.retain(|value| walk.room_and_view(*value).0 > 0);
        levels.push(Level { block, place, alive });
        next = walk.largest_region(func.block(block).insts[place]);
    }
    levels
}

/// How many of its operands an op carries from trip to trip, if it is a loop.
fn carried(info: &Inst) -> usize {
    match &info.op {
        Op::Scan(scan) => scan.carries,
        Op::Control(Control::While) => info.operands.len(),
        _ => 0,
    }
}

/// Behind which place of its block a value dies, counted from 1; what nobody uses has none.
type Last = u32;
const UNUSED: Last = 0;
/// It is returned.
const NEVER: Last = Last::MAX;

struct PeakWalk<'a> {
    module: &'a Module,
    func: &'a Function,
    depth: usize,
    habits: Habits,
    /// What is done elsewhere, if loops are fused.
    inlined: Option<Inlined>,
    /// Which blocks were looked at.
    seen: IdMap<BlockId, bool>,
    /// Whether a value goes on to the next trip of the loop around it in the place of what came from the last.
    is_carried_on: IdMap<ValueId, bool>,
    /// Of the values of those blocks.
    last: IdMap<ValueId, Last>,
    /// What those take that are used.
    room: IdMap<ValueId, i64>,
}

impl<'a> PeakWalk<'a> {
    fn new(module: &'a Module, func: &'a Function, depth: usize, habits: Habits) -> Self {
        let values = func.value_count();
        PeakWalk {
            module,
            func,
            depth,
            habits,
            inlined: habits.fuses.then(|| Inlined::of(func, habits)),
            seen: IdMap::filled(func.block_count(), false),
            is_carried_on: IdMap::filled(values, false),
            last: IdMap::filled(values, UNUSED),
            room: IdMap::filled(values, 0),
        }
    }

    /// The peak of a block, and the place of the instruction where it is first reached; `None` is before the first. Its
    /// parameters count only for the root (elsewhere they are values of the outside).
    ///
    /// One walk from the end: where a value is seen first, it dies.
    fn peak(&mut self, block: BlockId, is_root: bool) -> (i64, Option<usize>) {
        self.moments(block, is_root, &mut |_| {})
    }

    /// The same, showing the bytes at each instruction from the last on; parameters that stay throughout left out.
    fn moments(&mut self, block: BlockId, is_root: bool, show: &mut dyn FnMut(i64)) -> (i64, Option<usize>) {
        let (func, info) = (self.func, self.func.block(block));
        self.forget(block);
        let mut live = info.results.iter().map(|value| self.end(block, *value, NEVER)).sum::<i64>();
        let mut peak = (i64::MIN, None);
        for (place, inst) in info.insts.iter().enumerate().rev() {
            self.each_used(*inst, |walk, value| live += walk.end(block, value, place as Last + 1));
            let (mut made, mut unused) = (0, 0);
            for value in &func.inst(*inst).results {
                if self.last[*value] == UNUSED {
                    self.last[*value] = place as Last + 1;
                    unused += self.room_and_view(*value).0;
                } else {
                    made += self.room[*value];
                }
            }
            let now = live + unused + self.inside(*inst) - self.written_over(*inst, place as Last + 1);
            show(now);
            if now >= peak.0 {
                peak = (now, Some(place));
            }
            live -= made;
        }
        if live >= peak.0 {
            peak = (live, None);
        }
        let params = info.params.iter().enumerate().filter(|_| is_root);
        let throughout = params.filter(|(index, value)| self.stays(*index) || self.last[**value] == UNUSED);
        (peak.0 + throughout.map(|(_, value)| room(func, *value)).sum::<i64>(), peak.1)
    }

    /// Bytes at each instruction of the root.
    fn curve(&mut self) -> Vec<i64> {
        let (root, mut curve) = (self.func.root(), Vec::new());
        let (peak, _) = self.moments(root, true, &mut |now| curve.push(now));
        let params = self.func.param_values().iter().enumerate();
        let stay = params.filter(|(index, value)| self.stays(*index) || self.last[**value] == UNUSED);
        let throughout: i64 = stay.map(|(_, value)| room(self.func, *value)).sum();
        curve.reverse();
        curve.iter_mut().for_each(|now| *now = (*now + throughout).min(peak));
        curve
    }

    /// Values of a block that are alive where its peak is reached, which was found just now; parameters only of the
    /// root.
    fn alive(&self, block: BlockId, is_root: bool, at: Option<usize>) -> Vec<ValueId> {
        let info = self.func.block(block);
        let made = at.map_or(0, |at| at + 1);
        let outlives = |value: ValueId| self.last[value] == UNUSED || self.last[value] as usize >= made;
        let params = info.params.iter().enumerate().filter(|_| is_root);
        let params = params.filter(|(index, value)| self.stays(*index) || outlives(**value));
        let results = info.insts.iter().take(made).flat_map(|inst| &self.func.inst(*inst).results);
        let results = results.filter(|value| outlives(**value));
        params.map(|(_, value)| value).chain(results).copied().collect()
    }

    /// Values that what an instruction makes, with those that are done with it, may be written over, as far as they are
    /// not read any more: element by element, in a part of them, or from trip to trip.
    fn in_place(&self, inst: InstId) -> Vec<ValueId> {
        let Some(inlined) = self.inlined.as_ref().filter(|inlined| !inlined.is_elsewhere[inst]) else {
            return Vec::new();
        };
        let func = self.func;
        let members = || inlined.members[inst].iter().chain([&inst]).map(|done| func.inst(*done));
        let is_in_place = |info: &Inst| {
            info.op.facts().is_elementwise || crate::activity::writes_into(&info.op) || carried(info) > 0
        };
        // Where something lies is changed in between; a product makes a part of its result at a time, to which what is
        // there is added.
        if !members().all(|info| is_in_place(info) || info.op.facts().is_contraction) {
            return Vec::new();
        }
        let given = members().filter(|info| is_in_place(info)).flat_map(|info| {
            let most = match carried(info) {
                _ if crate::activity::writes_into(&info.op) => 1,
                0 => info.operands.len(),
                carried => carried,
            };
            info.operands.iter().take(most).map(|value| storage(func, *value))
        });
        let products = members().filter(|info| !is_in_place(info)).flat_map(|info| &info.operands);
        let multiplied: Vec<ValueId> = products.map(|value| storage(func, *value)).collect();
        given.filter(|value| !multiplied.contains(value)).collect()
    }

    /// Bytes of the results of an instruction that lie in what it reads last. `at`: when that dies.
    fn written_over(&self, inst: InstId, at: Last) -> i64 {
        let func = self.func;
        let block = func.block_of(inst);
        let dies = |value: &ValueId| self.is_ours(*value, block) && self.last[*value] == at;
        let mut free: Vec<ValueId> = self.in_place(inst).into_iter().filter(dies).collect();
        let mut bytes = 0;
        for result in &func.inst(inst).results {
            let room = self.room_and_view(*result).0;
            let fits = |value: &ValueId| {
                let elements = |value: ValueId| func.ty(value).as_tensor().map(|tensor| tensor.elements());
                self.room[*value] >= room && elements(*value) == elements(*result)
            };
            if let Some(found) = free.iter().position(fits) {
                let value = free[found];
                free.retain(|other| *other != value);
                bytes += room;
            }
        }
        bytes
    }

    /// Whether a value's buffer may be written over in a block: it was made there, the caller gave it away, or it is
    /// what a loop carries.
    fn is_ours(&self, value: ValueId, block: BlockId) -> bool {
        match self.func.value(value).def {
            Def::Param { block: of, index } => {
                of == block && (block != self.func.root() || !self.stays(index))
            }
            Def::Result { inst, .. } => self.func.block_of(inst) == block,
        }
    }

    /// Whether a parameter is the caller's: its buffer is not given away.
    fn stays(&self, index: usize) -> bool {
        self.func.params.get(index).is_none_or(|info| info.donation.is_none())
    }

    /// Look at a block as if nothing of it was seen yet.
    fn forget(&mut self, block: BlockId) {
        if !std::mem::replace(&mut self.seen[block], true) {
            return;
        }
        let info = self.func.block(block);
        let made = info.insts.iter().flat_map(|inst| &self.func.inst(*inst).results);
        info.params.iter().chain(made).for_each(|value| self.last[*value] = UNUSED);
    }

    /// A value of a block, and those that it is a view of, are used at a place, and were not behind it; what they take
    /// that is not counted anyway.
    fn end(&mut self, block: BlockId, value: ValueId, at: Last) -> i64 {
        let (mut next, mut more) = (Some(value), 0);
        while let Some(value) = next.filter(|value| self.last[*value] == UNUSED) {
            let counts = match self.func.value(value).def {
                Def::Param { block: of, .. } if of != block => break,
                Def::Param { index, .. } => block == self.func.root() && !self.stays(index),
                Def::Result { inst, .. } if self.func.block_of(inst) != block => break,
                Def::Result { .. } => true,
            };
            let (room, given) = self.room_and_view(value);
            (self.last[value], self.room[value]) = (at, room);
            more += if counts { room } else { 0 };
            next = given;
        }
        more
    }

    /// Bytes of a value of its own, and what it is a view of.
    fn room_and_view(&self, value: ValueId) -> (i64, Option<ValueId>) {
        let (room, given) = room_and_view(self.func, value);
        let Some(inlined) = &self.inlined else { return (room, given) };
        let is_nowhere = self.func.def_inst(value).is_some_and(|inst| inlined.is_nowhere[inst]);
        let least = || room.min(inlined.rounded.bytes(self.func, value));
        (if is_nowhere || self.is_carried_on[value] { 0 } else { least() }, given)
    }

    /// Operands of an instruction and of those that are done with it, and everything its regions use.
    fn each_used(&mut self, inst: InstId, mut note: impl FnMut(&mut Self, ValueId)) {
        let func = self.func;
        let info = func.inst(inst);
        let members = self.inlined.as_ref().map_or(Vec::new(), |inlined| inlined.members[inst].clone());
        for done in members {
            func.inst(done).operands.iter().for_each(|value| note(self, *value));
        }
        if !self.inlined.as_ref().is_some_and(|inlined| inlined.is_elsewhere[inst]) {
            info.operands.iter().for_each(|value| note(self, *value));
        }
        if !info.regions.is_empty() {
            self.each_used_inside(info, &mut note);
        }
    }

    fn each_used_inside(&mut self, info: &Inst, note: &mut dyn FnMut(&mut Self, ValueId)) {
        let func = self.func;
        for region in info.regions.iter().map(|region| func.block(*region)) {
            region.results.iter().for_each(|value| note(self, *value));
            for inner in region.insts.iter().map(|inst| func.inst(*inst)) {
                inner.operands.iter().for_each(|value| note(self, *value));
                self.each_used_inside(inner, note);
            }
        }
    }

    /// Peak of what runs inside an instruction.
    fn inside(&mut self, inst: InstId) -> i64 {
        let info = self.func.inst(inst);
        match &info.op {
            Op::Call(call) => {
                let operands: i64 = info.operands.iter().map(|value| self.func.ty(*value).byte_size()).sum();
                let results: i64 = info.results.iter().map(|value| self.func.ty(*value).byte_size()).sum();
                (function_peak(self.module, call.callee, self.depth + 1, self.habits) - operands - results)
                    .max(0)
            }
            Op::Control(_) | Op::Scan(_) | Op::Sharding(_) => {
                self.note_carried(info);
                info.regions.iter().map(|region| self.peak(*region, false).0).max().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// Find what the body of a loop gives to the next trip where it was given the same: it is counted where the loop
    /// stands.
    fn note_carried(&mut self, of: &Inst) {
        let carries = if self.inlined.is_some() { carried(of) } else { 0 };
        let (func, Some(body)) = (self.func, of.regions.last().copied().filter(|_| carries > 0)) else {
            return;
        };
        let info = func.block(body);
        // Where each parameter is read last.
        let mut last: Vec<Option<usize>> = vec![None; carries];
        for (place, inst) in info.insts.iter().enumerate() {
            self.each_used(*inst, |walk, value| {
                if let Def::Param { block, index } = walk.func.value(storage(walk.func, value)).def
                    && block == body
                    && index < carries
                {
                    last[index] = Some(place);
                }
            });
        }
        for (index, (param, result)) in info.params.iter().zip(&info.results).take(carries).enumerate() {
            let Some(inst) = func.def_inst(*result).filter(|inst| func.block_of(*inst) == body) else {
                continue;
            };
            let Some(place) = info.insts.iter().position(|at| *at == inst) else { continue };
            let is_once = info.results.iter().filter(|other| *other == result).count() == 1;
            let goes_on = info.results.iter().any(|other| storage(func, *other) == *param);
            let is_over = last[index]
                .is_none_or(|last| last < place || last == place && self.in_place(inst).contains(param));
            self.is_carried_on[*result] = is_once && !goes_on && is_over;
        }
    }

    /// The region whose peak is an instruction's.
    fn largest_region(&mut self, inst: InstId) -> Option<BlockId> {
        let info = self.func.inst(inst);
        let runs = matches!(info.op, Op::Control(_) | Op::Scan(_) | Op::Sharding(_));
        let peaks = info.regions.iter().filter(|_| runs).map(|region| (self.peak(*region, false).0, *region));
        peaks.filter(|(peak, _)| *peak > 0).max_by_key(|(peak, _)| *peak).map(|(_, region)| region)
    }
}
