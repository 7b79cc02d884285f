//! Sums that a loop carries and only ever adds to: they may stay partial until the loop is over.
//!
//! ```text
//! %w = while (%s = %zero) { ..                        %w = while (%s = to-partial %zero) { ..
//!   %d = dot %a, %b           partial over x    =>      %d = dot %a, %b           partial over x
//!   %d1 = all-reduce %d                                 return add %s, %d
//!   return add %s, %d1 }                              }
//!                                                     %w1 = all-reduce %w
//! ```
//!
//! One reduction instead of one each trip. Such a sum is a parameter of the body that each op on its only way to the
//! returned value is linear in: it is added to, slices are written into it or scattered, an inner loop carries it on.
//! What is added may come from an inner loop too, as the stack of a scan over layers does, which then stays partial
//! from its first slice on; and what each trip makes anew counts as added to nothing. A sum is carried so if it is less
//! than all that is added to it, and if the plan as a whole is better for it.

use crate::axes::all_line_up;
use crate::plan::linear_way::{CarriedSum, CarriedSums, LinearStep};
use crate::plan::table::ShardingId;
use crate::plan::{Planner, Use};
use meshwright_ir::op::{Control, Structure};
use meshwright_ir::{BlockId, Function, InstId, ValueId};
use meshwright_shard::{AxisRef, Reducer, Sharding};

/// The condition and the body of a loop, and how many values it carries.
fn loop_of(func: &Function, inst: InstId) -> Option<(Option<BlockId>, BlockId, usize)> {
    let info = func.inst(inst);
    match (info.op.structure(), &info.regions[..]) {
        (Some(Structure::Control(Control::While)), [condition, body]) => {
            Some((Some(*condition), *body, info.operands.len()))
        }
        (Some(Structure::Scan(scan)), [body]) => Some((None, *body, scan.carries)),
        _ => None,
    }
}

impl Planner<'_> {
    fn carried_sums(&self) -> CarriedSums {
        let mut sums = CarriedSums::default();
        for inst in self.known.order.iter().rev() {
            let Some((condition, body, carries)) = loop_of(self.known.func, *inst) else { continue };
            for index in 0..self.known.func.inst(*inst).results.len() {
                let sum = if index < carries {
                    self.carried_sum(*inst, index, condition, body, &sums)
                } else {
                    self.stack(*inst, index, body)
                };
                if let Some(sum) = sum {
                    sums.push(sum, self.known.func);
                }
            }
        }
        sums
    }

    fn carried_sum(
        &self,
        inst: InstId,
        index: usize,
        condition: Option<BlockId>,
        body: BlockId,
        inner: &CarriedSums,
    ) -> Option<CarriedSum> {
        let param = |block: BlockId| self.known.func.block(block).params.get(index).copied();
        let tested = condition.and_then(param);
        if tested.is_some_and(|param| !self.draft.needs.uses_of(param).is_empty()) {
            return None;
        }
        let params: Vec<ValueId> = param(body).into_iter().chain(tested).collect();
        let carried = *params.first()?;
        let (steps, added) = if self.draft.needs.uses_of(carried).is_empty() {
            (Vec::new(), vec![*self.known.func.block(body).results.get(index)?])
        } else {
            self.steps(carried, Use::Result(body, index), inner)?
        };
        Some(CarriedSum { inst, index, body, params, steps, added })
    }

    /// What a scan stacks is made of its slices, and of nothing that is carried.
    fn stack(&self, inst: InstId, index: usize, body: BlockId) -> Option<CarriedSum> {
        let slice = *self.known.func.block(body).results.get(index)?;
        Some(CarriedSum { inst, index, body, params: Vec::new(), steps: Vec::new(), added: vec![slice] })
    }

    /// The ops on the only way of a value to an end, if all are linear in it, and what they add to it; `None` if it
    /// goes elsewhere or nothing is added.
    fn steps(
        &self,
        start: ValueId,
        end: Use,
        inner: &CarriedSums,
    ) -> Option<(Vec<LinearStep>, Vec<ValueId>)> {
        let func = self.known.func;
        let (mut value, mut steps, mut added) = (start, Vec::new(), Vec::new());
        loop {
            let (inst, at) = match self.draft.needs.uses_of(value)[..] {
                [of] if of == end => return (!added.is_empty()).then_some((steps, added)),
                [Use::Operand(inst, at)] => (inst, at),
                _ => return None,
            };
            let info = func.inst(inst);
            if let Some(sum) = inner.from.get(&(inst, at)) {
                steps.push(LinearStep::Loop(*sum));
                added.extend(&inner.all[*sum].added);
                value = *info.results.get(at)?;
            } else {
                let linear = &self.kinds.rule(self.known.kind[inst]?).linear;
                let is_linear = linear.jointly.contains(&at) || linear.singly.contains(&at);
                if !is_linear || !linear.reducers.contains(&Reducer::Sum) || info.results.len() != 1 {
                    return None;
                }
                steps.push(LinearStep::Op(inst, at));
                let others = linear.jointly.iter().filter(|other| **other != at);
                added.extend(others.filter_map(|other| info.operands.get(*other)));
                value = info.results[0];
            }
        }
    }

    /// Keep sums partial through loops where that is better as a whole.
    pub(super) fn carry_sums(&mut self) {
        let (sums, mut total) = (self.carried_sums(), None);
        for sum in sums.all.iter().rev() {
            if !self.is_smaller_than_added(sum) {
                continue;
            }
            let Some((ways, axes)) = self.ways_into(sum, &sums) else { continue };
            let carry = |planner: &mut Self| {
                ways.iter().all(|step| planner.pass(*step, &axes, &sums)) && planner.carry(sum, &axes, &sums)
            };
            total = Some(self.attempt(total, carry, |before, after, goal| after.beats(before, goal)));
        }
    }

    /// Whether a loop adds more than it carries: a stack, of which each trip writes a slice, is as much as its slices.
    fn is_smaller_than_added(&self, sum: &CarriedSum) -> bool {
        let bytes = |value: ValueId| self.known.func.ty(value).byte_size() as f64;
        let added = sum.added.iter().map(|value| bytes(*value) * self.known.times_of(*value)).sum::<f64>();
        let carried =
            self.known.func.inst(sum.inst).results.get(sum.index).map_or(0.0, |result| bytes(*result));
        added > carried * self.known.times(sum.inst)
    }

    /// The ops between partial values and what is added to a sum, and the axes those are partial over.
    fn ways_into(&self, sum: &CarriedSum, sums: &CarriedSums) -> Option<(Vec<LinearStep>, Vec<AxisRef>)> {
        let mut found: Option<Vec<AxisRef>> = None;
        let mut ways = Vec::new();
        for value in &sum.added {
            let Some((way, made)) = self.way_from_partial(*value, sums, None) else { continue };
            let made = self.table.sharding(made);
            if made.reducer == Reducer::Sum && found.as_ref().is_none_or(|axes| *axes == made.partial) {
                found.get_or_insert_with(|| made.partial.clone());
                ways.extend(way);
            }
        }
        Some((ways, found?))
    }

    /// Have a step take and make what is partial over these axes; whether it can.
    fn pass(&mut self, step: LinearStep, axes: &[AxisRef], sums: &CarriedSums) -> bool {
        match step {
            LinearStep::Op(inst, at) => self.pass_partial(inst, at),
            LinearStep::Loop(sum) => self.carry(&sums.all[sum], axes, sums),
        }
    }

    /// Carry a sum partial over these axes, from the loop's operand to its result; whether all that is done with it can
    /// be done so.
    fn carry(&mut self, sum: &CarriedSum, axes: &[AxisRef], sums: &CarriedSums) -> bool {
        let info = self.known.func.inst(sum.inst);
        let returned = self.known.func.block(sum.body).results[sum.index];
        let entering = info.operands.get(sum.index).filter(|_| !sum.params.is_empty());
        let used = entering
            .map(|value| (*value, Use::Operand(sum.inst, sum.index)))
            .into_iter()
            .chain([(returned, Use::Result(sum.body, sum.index))]);
        let made = sum.params.iter().copied().chain([info.results[sum.index]]);
        used.into_iter().all(|(value, of)| self.need_partial(value, of, axes))
            && made.into_iter().all(|value| self.make_partial(value, axes))
            && sum.steps.iter().all(|step| self.pass(*step, axes, sums))
    }

    fn need_partial(&mut self, value: ValueId, of: Use, axes: &[AxisRef]) -> bool {
        let need = self.draft.needs.of(of);
        let Some(partial) = need.and_then(|need| self.partial_like(need, axes)) else { return false };
        self.draft.need(value, of, Some(partial));
        self.disturb(value);
        true
    }

    fn make_partial(&mut self, value: ValueId, axes: &[AxisRef]) -> bool {
        let have = self.draft.have[value];
        let Some(partial) = have.and_then(|have| self.partial_like(have, axes)) else { return false };
        self.draft.make(value, Some(partial));
        self.disturb(value);
        true
    }

    /// A sharding, but partial over these axes; `None` if it splits something over them, or is partial otherwise.
    fn partial_like(&mut self, reduced: ShardingId, axes: &[AxisRef]) -> Option<ShardingId> {
        let reduced = self.table.sharding(reduced).clone();
        let splits = reduced.dims.iter().any(|dim| !all_line_up(&dim.axes, axes));
        let is_partial = !reduced.partial.is_empty() && reduced.partial != axes;
        let partial =
            || Sharding { partial: axes.to_vec(), reducer: Reducer::Sum, ..Sharding::clone(&reduced) };
        (!splits && !is_partial).then(partial).map(|partial| self.table.intern(partial))
    }
}
