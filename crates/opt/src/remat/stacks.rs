//! What a loop stacks up for a later loop, made again in that one, slice by slice.
//!
//! ```text
//! %s = scan(%x, %w) { %h = tanh %x * %w;  .. %h .. }  // stacks %h     =>   scan(%x, %w) { .. }  // no %h
//! scan(%g, %xs, %w, %s) { %x, %w, %h:  .. %h .. }                           scan(%g, %xs, %w) { %h = tanh %x * %w; .. %h .. }
//! ```
//!
//! The later loop has the same slices at the same positions, whatever way round it runs. In it are at hand: other
//! stacks of the first loop that it is given, stacks that the first loop is given too (weights), and what is outside of
//! both. What is small and is none of these is stacked instead. Both loops stay one loop each; only their lists change.

use super::chain::{Again, SMALL, is_repeatable};
use super::schedule::Schedule;
use super::{copy, work};
use meshwright_ir::copy::Renaming;
use meshwright_ir::{BlockId, Def, Editor, Function, InstId, Op, Type, ValueId};
use std::collections::BTreeMap;

/// How to do without a stack.
pub(super) struct Stack {
    /// The stack.
    pub value: ValueId,
    first: InstId,
    later: InstId,
    /// The place of its slices in the later loop's list.
    input: usize,
    /// Instructions of the first loop's body that are run again in the later one's, in order.
    insts: Vec<InstId>,
    /// What values of the first loop's body these need is there.
    sources: BTreeMap<ValueId, Source>,
    /// Flops and seconds of all trips.
    pub cost: (f64, f64),
    pub saved: i64,
}

#[derive(Clone, Copy)]
enum Source {
    /// A parameter of the later body.
    Param(ValueId),
    /// A stack that the first loop is given.
    Stacked(ValueId),
    /// Nowhere yet: stacked by the first loop.
    New,
}

impl Stack {
    /// For a value that one loop of a block makes and only one later loop of it takes, slice by slice.
    pub fn find(schedule: &Schedule<'_>, value: ValueId) -> Option<Stack> {
        let func = schedule.func;
        let Def::Result { inst: first, index } = func.value(value).def else { return None };
        let (Op::Scan(made), [body]) = (&func.inst(first).op, &func.inst(first).regions[..]) else {
            return None;
        };
        let later = only_later_loop(schedule, first, value)?;
        let (Op::Scan(taken), [into]) = (&func.inst(later).op, &func.inst(later).regions[..]) else {
            return None;
        };
        let mut inputs = (0..).zip(&func.inst(later).operands).filter(|(_, operand)| **operand == value);
        let (Some((input, _)), None) = (inputs.next(), inputs.next()) else { return None };
        let is_stack = index >= made.carries && input >= taken.carries && made.trips == taken.trips;
        let result = *func.block(*body).results.get(index)?;
        let mut search = Search {
            schedule,
            first,
            later,
            body: *body,
            into: *into,
            carries: (made.carries, taken.carries),
            trips: made.trips,
            slice: func.ty(result).byte_size(),
            index,
            insts: Vec::new(),
            sources: BTreeMap::new(),
            kept: 0,
        };
        if !is_stack || !search.run(search.repeatable(result)?) {
            return None;
        }
        let (flops, seconds) = work::of_all(func, &search.insts);
        let trips = made.trips as f64;
        let saved = schedule.bytes(value) - search.slice - search.kept;
        let is_used =
            func.block(*into).insts.iter().any(|inst| uses(func, *inst, func.block(*into).params[input]));
        (saved > 0 && is_used).then_some(Stack {
            value,
            first,
            later,
            input,
            insts: search.insts,
            sources: search.sources,
            cost: (trips * flops, trips * seconds),
            saved,
        })
    }

    /// Rewrite both loops.
    pub fn apply(&self, func: &mut Function) {
        let (body, into) = (func.inst(self.first).regions[0], func.inst(self.later).regions[0]);
        let Some(param) = func.block(into).params.get(self.input).copied() else { return };
        let Def::Result { index, .. } = func.value(self.value).def else { return };
        let Some(result) = func.block(body).results.get(index).copied() else { return };
        let mut now: Vec<(ValueId, ValueId)> = Vec::new();
        for (value, source) in &self.sources {
            let there = match source {
                Source::Param(there) => *there,
                Source::Stacked(stack) => self.take(func, *stack, *value),
                Source::New => {
                    let stack = self.stack(func, *value);
                    self.take(func, stack, *value)
                }
            };
            now.rename(*value, there);
        }
        let order = func.block(into).insts.clone();
        let Some(before) = order.iter().copied().find(|inst| uses(func, *inst, param)) else { return };
        for inst in &self.insts {
            copy(func, *inst, before, &mut now);
        }
        let made = now.now(result);
        let results =
            func.block(into).results.iter().map(|value| if *value == param { made } else { *value });
        let results = results.collect();
        Editor::new(func).set_results(into, results);
        order.iter().for_each(|inst| super::replace_uses(func, *inst, &vec![(param, made)]));
        self.drop(func, index);
    }

    /// Slices of a stack as a new parameter of the later loop.
    fn take(&self, func: &mut Function, stack: ValueId, like: ValueId) -> ValueId {
        let into = func.inst(self.later).regions[0];
        let mut operands = func.inst(self.later).operands.clone();
        operands.push(stack);
        let ty = func.ty(like).clone();
        let mut editor = Editor::new(func);
        editor.set_operands(self.later, operands);
        editor.param(into, ty)
    }

    /// A value of the first loop's body as a new stack.
    fn stack(&self, func: &mut Function, value: ValueId) -> ValueId {
        let body = func.inst(self.first).regions[0];
        let trips = match &func.inst(self.first).op {
            Op::Scan(scan) => scan.trips,
            _ => 1,
        };
        let ty = match func.ty(value) {
            Type::Tensor(ty) => Type::Tensor(ty.with_dims([&[trips], &ty.dims[..]].concat())),
            other => other.clone(),
        };
        let mut results = func.block(body).results.clone();
        results.push(value);
        let mut editor = Editor::new(func);
        editor.set_results(body, results);
        editor.add_result(self.first, ty)
    }

    /// Take the stack out of both lists.
    fn drop(&self, func: &mut Function, index: usize) {
        let (body, into) = (func.inst(self.first).regions[0], func.inst(self.later).regions[0]);
        let without = |list: &[ValueId], at: usize| -> Vec<ValueId> {
            list.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, value)| *value).collect()
        };
        let returned = without(&func.block(body).results, index);
        let results = without(&func.inst(self.first).results, index);
        let operands = without(&func.inst(self.later).operands, self.input);
        let params = without(&func.block(into).params, self.input);
        let mut editor = Editor::new(func);
        editor.set_results(body, returned);
        editor.keep_results(self.first, results);
        editor.set_operands(self.later, operands);
        editor.set_params(into, params);
    }
}

/// The only instruction of the block that uses a value, if it is a later one.
fn only_later_loop(schedule: &Schedule<'_>, first: InstId, value: ValueId) -> Option<InstId> {
    let [place] = schedule.uses[value][..] else { return None };
    let later = *schedule.func.block(schedule.block).insts.get(place)?;
    let inside = schedule.func.inst(later).regions.first()?;
    let is_only_given =
        !schedule.func.block(*inside).insts.iter().any(|inst| uses(schedule.func, *inst, value));
    let is_free = !schedule.stays(value) && schedule.places[first]? < place;
    (is_free && is_only_given && matches!(schedule.func.inst(later).op, Op::Scan(_))).then_some(later)
}

fn uses(func: &Function, inst: InstId, value: ValueId) -> bool {
    let mut any = false;
    crate::uses::each(func, inst, &mut |used| any |= used == value);
    any
}

struct Search<'a, 'f> {
    schedule: &'a Schedule<'f>,
    first: InstId,
    later: InstId,
    body: BlockId,
    into: BlockId,
    /// Carried values of the first and the later loop.
    carries: (usize, usize),
    trips: i64,
    /// Bytes of a slice.
    slice: i64,
    /// Which result of the first loop is looked at.
    index: usize,
    insts: Vec<InstId>,
    sources: BTreeMap<ValueId, Source>,
    /// Bytes of new stacks, and of what has to live on for this.
    kept: i64,
}

impl Again for Search<'_, '_> {
    fn func(&self) -> &Function {
        self.schedule.func
    }

    fn insts(&mut self) -> &mut Vec<InstId> {
        &mut self.insts
    }

    /// A value of the first body, or of outside, in the later one.
    fn has(&mut self, value: ValueId) -> bool {
        let func = self.schedule.func;
        if self.is_outside(value) {
            return self.keeps(value);
        }
        if self.sources.contains_key(&value) {
            return true;
        }
        if let Some(source) = self.source(value) {
            let is_kept = match source {
                Source::Stacked(stack) => self.keeps(stack),
                Source::Param(_) | Source::New => true,
            };
            self.sources.insert(value, source);
            return is_kept;
        }
        let inst = self.repeatable(value).or_else(|| self.constant(value));
        let bytes = func.ty(value).byte_size();
        let is_small = bytes.saturating_mul(SMALL) <= self.slice && self.constant(value).is_none();
        if let (Some(inst), false) = (inst, is_small) {
            let before = (self.insts.len(), self.kept, self.sources.clone());
            if self.run(inst) {
                return true;
            }
            self.insts.truncate(before.0);
            (self.kept, self.sources) = (before.1, before.2);
        }
        self.kept = self.kept.saturating_add(bytes.saturating_mul(self.trips));
        self.sources.insert(value, Source::New);
        self.kept < self.slice.saturating_mul(self.trips)
    }
}

impl Search<'_, '_> {
    /// The instruction of the body that makes a value, if it may be run twice.
    fn repeatable(&self, value: ValueId) -> Option<InstId> {
        let func = self.schedule.func;
        let inst = func.def_inst(value).filter(|inst| func.block_of(*inst) == self.body)?;
        is_repeatable(func, inst).then_some(inst)
    }

    /// Constants of the body cost nothing to have in the other one too.
    fn constant(&self, value: ValueId) -> Option<InstId> {
        let func = self.schedule.func;
        let inst = func.def_inst(value).filter(|inst| func.block_of(*inst) == self.body)?;
        matches!(func.inst(inst).op, Op::Constant(_) | Op::Iota(_) | Op::PartitionId).then_some(inst)
    }

    fn is_outside(&self, value: ValueId) -> bool {
        self.schedule.func.def_block(value) != self.body
    }

    /// Whether a value of outside lives until the later loop, or may do so.
    fn keeps(&mut self, value: ValueId) -> bool {
        let at = self.schedule.places[self.later].unwrap_or(usize::MAX);
        if !self.schedule.is_alive(value, at) {
            self.kept = self.kept.saturating_add(self.schedule.bytes(value));
        }
        self.kept < self.slice.saturating_mul(self.trips)
    }

    fn source(&self, value: ValueId) -> Option<Source> {
        let func = self.schedule.func;
        let (first, later) = (func.inst(self.first), func.inst(self.later));
        let params = &func.block(self.into).params;
        let given = |stack: ValueId| {
            let at = later.operands.iter().skip(self.carries.1).position(|operand| *operand == stack)?;
            params.get(self.carries.1 + at).copied().map(Source::Param)
        };
        let results = func.block(self.body).results.iter().zip(&first.results).enumerate();
        let stacked =
            results.skip(self.carries.0).filter(|(at, (result, _))| *at != self.index && **result == value);
        let stacked = stacked.map(|(_, (_, stack))| *stack);
        if let Some(found) = stacked.clone().find_map(given) {
            return Some(found);
        }
        let Def::Param { block, index } = func.value(value).def else { return None };
        let is_slice = block == self.body && index >= self.carries.0;
        let stack = *first.operands.get(index).filter(|_| is_slice)?;
        given(stack).or(Some(Source::Stacked(stack)))
    }
}
