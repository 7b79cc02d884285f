//! How a forward value gets to where the backward pass uses it.
//!
//! At the root it is there. In a region it is, in this order:
//!
//! 1. defined outside the region: used from there, by the same rules one frame further out;
//! 2. known: it was asked for before;
//! 3. cheap (a constant, an iota, a broadcast, ..): written again from its operands;
//! 4. in a scan, the same on every trip: computed once before the loop instead of stacked;
//! 5. a parameter: of a scan, its stacked input or the carried value of each trip; of a function, its operand;
//! 6. otherwise kept: one more result of the forward region, stacked if the region is a scan's body.
//!
//! So only what the cotangents need is ever kept. Once the backward block of a scan is written and all that it asks for
//! is known, some of that is computed again in front of it: what takes fewer bytes to compute from than to keep
//! ([`crate::frontier`]), or, of a scan that recomputes, all but parameters.

use crate::frontier::Again;
use crate::tape::{FrameKind, From, Residual, ReverseFrame, Tape};
use meshwright_base::LookupMap;
use meshwright_ir::copy::{ValueMap, copy_inst};
use meshwright_ir::op::{Convert, Foreign, Movement};
use meshwright_ir::{BlockId, Def, Editor, Function, InstId, Op, ValueId};

/// How long a chain of loop-invariant instructions may be to be computed outside.
const MOST_INVARIANT: usize = 64;

/// What to do about a value of a frame.
enum Way {
    Known,
    /// Write its instruction again from its operands.
    Again(InstId),
    /// The same on every trip.
    Outside,
    Keep(From),
}

impl Tape<'_> {
    /// The forward value `value`, where the backward block is written.
    pub(crate) fn primal(&mut self, value: ValueId) -> ValueId {
        let block = self.func.def_block(value);
        match self.frames.iter().rposition(|frame| frame.forward == block) {
            Some(at) => self.obtain(at, value),
            None => value,
        }
    }

    /// Several at once.
    pub(crate) fn primals(&mut self, values: &[ValueId]) -> Vec<ValueId> {
        values.iter().map(|value| self.primal(*value)).collect()
    }

    /// A value of frame `at`'s forward block, in its backward block.
    fn obtain(&mut self, at: usize, value: ValueId) -> ValueId {
        if self.frames[at].kind == FrameKind::Direct {
            return value;
        }
        if let Some(known) = self.frames[at].known.get(&value) {
            return *known;
        }
        let again = self.provide(at, value);
        for inst in again {
            self.write_again(at, inst);
        }
        self.frames[at].known.get(&value).copied().unwrap_or(value)
    }

    /// Provide everything that `value` needs but the instructions to write again; those, in program order.
    fn provide(&mut self, at: usize, value: ValueId) -> Vec<InstId> {
        let forward = self.frames[at].forward;
        let mut again: LookupMap<InstId, ()> = LookupMap::default();
        let mut first = None;
        let mut work = vec![value];
        while let Some(value) = work.pop() {
            if self.func.def_block(value) != forward {
                let outer = self.primal(value);
                self.note(at, value, outer);
                continue;
            }
            match self.way(at, value) {
                Way::Known => {}
                Way::Again(inst) => {
                    if again.insert(inst, ()).is_none() {
                        first.get_or_insert(inst);
                        work.extend(self.func.inst(inst).operands.iter().copied());
                        work.extend(self.func.captures(inst));
                    }
                }
                Way::Outside => {
                    let outer = self.hoist(at, value);
                    self.note(at, value, outer);
                }
                Way::Keep(from) => self.keep_residual(at, value, from),
            }
        }
        in_order(&self.func, forward, &again, first)
    }

    fn note(&mut self, at: usize, value: ValueId, stands_for: ValueId) {
        if value != stands_for {
            self.frames[at].known.insert(value, stands_for);
        }
    }

    fn way(&self, at: usize, value: ValueId) -> Way {
        let frame = &self.frames[at];
        if frame.known.contains_key(&value) {
            return Way::Known;
        }
        match self.func.value(value).def {
            Def::Result { inst, .. } if is_cheap(&self.func, inst) => Way::Again(inst),
            _ if self.is_invariant(at, value, &mut 0) => Way::Outside,
            Def::Result { inst, .. } if frame.again.has(inst) && may_repeat(&self.func, inst) => {
                Way::Again(inst)
            }
            Def::Result { .. } => Way::Keep(From::Value(value)),
            Def::Param { index, .. } => Way::Keep(kept_param(frame, value, index)),
        }
    }

    /// Whether a value of frame `at`'s forward block is the same on every trip. Gives up on long chains.
    pub(crate) fn is_invariant(&self, at: usize, value: ValueId, count: &mut usize) -> bool {
        let frame = &self.frames[at];
        let FrameKind::Scan { carries } = frame.kind else { return false };
        *count += 1;
        if *count > MOST_INVARIANT {
            return false;
        }
        match self.func.value(value).def {
            Def::Param { block, index } if block == frame.forward => {
                index < carries && self.func.block(block).results.get(index) == Some(&value)
            }
            Def::Param { .. } => true,
            Def::Result { inst, .. } if self.func.block_of(inst) == frame.forward => {
                let it = self.func.inst(inst);
                let alone = it.regions.is_empty() && may_repeat(&self.func, inst) && !it.operands.is_empty();
                alone && it.operands.iter().all(|operand| self.is_invariant(at, *operand, count))
            }
            Def::Result { .. } => true,
        }
    }

    /// An invariant value, computed in the frame around.
    fn hoist(&mut self, at: usize, value: ValueId) -> ValueId {
        let forward = self.frames[at].forward;
        match self.func.value(value).def {
            _ if self.func.def_block(value) != forward => self.primal(value),
            Def::Param { index, .. } => match self.initial(forward, index) {
                Some(initial) => self.primal(initial),
                None => value,
            },
            Def::Result { inst, .. } => self.hoist_inst(at, inst, value),
        }
    }

    /// The operand that a parameter of a region starts as.
    fn initial(&self, region: BlockId, index: usize) -> Option<ValueId> {
        let parent = self.func.block(region).parent?;
        self.func.inst(parent).operands.get(index).copied()
    }

    fn hoist_inst(&mut self, at: usize, inst: InstId, value: ValueId) -> ValueId {
        let operands = self.func.inst(inst).operands.clone();
        let mut map = ValueMap::default();
        for operand in operands {
            let outer = match self.frames[at].known.get(&operand).copied() {
                Some(known) => known,
                None => self.hoist(at, operand),
            };
            self.note(at, operand, outer);
            map.insert(operand, outer);
        }
        let block = self.frames[at.saturating_sub(1)].backward;
        copy_inst(None, &mut self.func, inst, block, &mut map);
        map.get(&value).copied().unwrap_or(value)
    }

    fn keep_residual(&mut self, at: usize, value: ValueId, from: From) {
        let ty = self.func.ty(value).clone();
        let frame = &mut self.frames[at];
        let param = Editor::new(&mut self.func).param(frame.backward, ty);
        frame.residuals.push(Residual { from, param });
        frame.known.insert(value, param);
    }

    /// Compute what the innermost frame asked for again, in front of its backward block, instead of keeping it.
    pub(crate) fn recompute(&mut self, again: Again) {
        let at = self.frames.len() - 1;
        let block = self.frames[at].backward;
        let written = self.func.block(block).insts.len();
        let asked = std::mem::take(&mut self.frames[at].residuals);
        self.forget_written(at);
        self.frames[at].again = again;
        for residual in asked {
            match residual.from {
                From::Param(index) => {
                    let value = self.func.block(self.frames[at].forward).params[index];
                    let kept = self.obtain(at, value);
                    self.replaced.push((residual.param, kept));
                }
                From::Value(value) => {
                    let computed = self.obtain(at, value);
                    self.replaced.push((residual.param, computed));
                }
            }
        }
        let mut order = self.func.block(block).insts.clone();
        order.rotate_left(written);
        Editor::new(&mut self.func).set_order(block, order);
    }

    /// Keep what stands for forward values only where it is defined outside the backward block.
    fn forget_written(&mut self, at: usize) {
        let block = self.frames[at].backward;
        let mut known = std::mem::take(&mut self.frames[at].known);
        known.retain(|_, stands_for| self.func.def_block(*stands_for) != block);
        self.frames[at].known = known;
    }

    fn write_again(&mut self, at: usize, inst: InstId) {
        let ReverseFrame { backward, known, .. } = &mut self.frames[at];
        copy_inst(None, &mut self.func, inst, *backward, known);
    }
}

/// A carried value has to be kept per trip; other parameters are there already.
fn kept_param(frame: &ReverseFrame, value: ValueId, index: usize) -> From {
    match frame.kind {
        FrameKind::Scan { carries } if index < carries => From::Value(value),
        _ => From::Param(index),
    }
}

/// Instructions in the order of their block; `only` if there is just that one.
fn in_order(
    func: &Function,
    block: BlockId,
    insts: &LookupMap<InstId, ()>,
    only: Option<InstId>,
) -> Vec<InstId> {
    if insts.is_empty() {
        return Vec::new();
    }
    if insts.len() == 1 {
        return only.into_iter().collect();
    }
    func.block(block).insts.iter().copied().filter(|inst| insts.contains_key(inst)).collect()
}

/// Whether to compute something again rather than to keep it: it is no more than its operands.
pub(crate) fn is_cheap(func: &Function, inst: InstId) -> bool {
    let it = func.inst(inst);
    match &it.op {
        Op::Constant(_) | Op::Iota(_) => true,
        Op::Movement(Movement::Broadcast(_) | Movement::Reshape(_) | Movement::Transpose(_)) => true,
        Op::Convert(Convert::To(_)) => {
            let bytes = |value: &ValueId| func.ty(*value).byte_size();
            it.operands.iter().map(bytes).sum::<i64>() <= it.results.iter().map(bytes).sum::<i64>()
        }
        _ => false,
    }
}

/// Whether computing something twice gives the same values and does nothing else.
pub(crate) fn may_repeat(func: &Function, inst: InstId) -> bool {
    let it = func.inst(inst);
    let alone = match &it.op {
        Op::Random(meshwright_ir::op::Random::Rng { .. }) | Op::Token(_) => false,
        Op::Foreign(Foreign::CustomCall(call)) => !call.has_side_effect,
        _ => true,
    };
    let inside = |region: &BlockId| func.block(*region).insts.iter().all(|inner| may_repeat(func, *inner));
    alone && it.regions.iter().all(inside)
}
