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
//! One reduction instead of one each trip. Such a sum is a parameter of the body with one use, an addition whose result
//! has one use, and so on until the body returns it in the parameter's place. One is carried so if the plan as a whole
//! is better for it.

use crate::axes::all_line_up;
use crate::plan::needs::Needs;
use crate::plan::strategy::Strategy;
use crate::plan::table::ShardingId;
use crate::plan::{Compared, Planner, Use};
use meshwright_ir::op::{Control, Structure};
use meshwright_ir::{BlockId, Function, InstId, ValueId};
use meshwright_shard::{Reducer, Sharding};

/// A sum carried by a loop.
struct CarriedSum {
    inst: InstId,
    /// Its place among the loop's operands, parameters and results.
    index: usize,
    body: BlockId,
    /// The parameter of the body, and that of the condition.
    params: Vec<ValueId>,
    /// The additions, in order, with what each adds.
    adds: Vec<(InstId, ValueId)>,
}

/// The sums an instruction carries.
fn carried_sums(func: &Function, inst: InstId, needs: &Needs<'_>) -> Vec<CarriedSum> {
    let info = func.inst(inst);
    let (condition, body, count) = match (info.op.structure(), &info.regions[..]) {
        (Some(Structure::Control(Control::While)), [condition, body]) => {
            (Some(*condition), *body, info.operands.len())
        }
        (Some(Structure::Scan(scan)), [body]) => (None, *body, scan.carries),
        _ => return Vec::new(),
    };
    let sum = |index: usize| {
        let param = *func.block(body).params.get(index)?;
        let tested = condition.and_then(|block| func.block(block).params.get(index).copied());
        if tested.is_some_and(|param| !needs.uses_of(param).is_empty()) {
            return None;
        }
        let adds = adds(func, param, Use::Result(body, index), needs)?;
        Some(CarriedSum { inst, index, body, params: std::iter::once(param).chain(tested).collect(), adds })
    };
    (0..count).filter_map(sum).collect()
}

/// The additions to a value on its only way to an end; `None` if it goes elsewhere or nothing is added.
fn adds(func: &Function, start: ValueId, end: Use, needs: &Needs<'_>) -> Option<Vec<(InstId, ValueId)>> {
    let (mut value, mut adds) = (start, Vec::new());
    loop {
        match needs.uses_of(value)[..] {
            [of] if of == end => return (!adds.is_empty()).then_some(adds),
            [Use::Operand(inst, at)] if func.inst(inst).op.reducer() == Some(Reducer::Sum) => {
                adds.push((inst, *func.inst(inst).operands.get(1 - at)?));
                value = *func.inst(inst).results.first()?;
            }
            _ => return None,
        }
    }
}

impl Planner<'_> {
    /// Keep sums partial through loops where that is better as a whole.
    pub(super) fn carry_sums(&mut self) {
        let sums: Vec<CarriedSum> = self
            .known
            .order
            .iter()
            .flat_map(|inst| carried_sums(self.known.func, *inst, &self.draft.needs))
            .collect();
        for sum in sums {
            let Some(partial) = self.partial_sum(&sum) else { continue };
            let (before, saved) = (self.price(), self.draft.save());
            let carried = self.carry(&sum, partial);
            self.run(Compared::Early);
            if !carried || !self.price().beats(before, self.table.goal) {
                self.draft.restore(saved);
                self.agenda.mark_all_fresh();
            }
        }
    }

    /// The sharding of a carried sum, but partial over the axes over which something added to it is made partial.
    fn partial_sum(&mut self, sum: &CarriedSum) -> Option<ShardingId> {
        let reduced = self.table.sharding(self.draft.needs.of(Use::Operand(sum.inst, sum.index))?).clone();
        let made = sum.adds.iter().find_map(|(_, value)| self.way_from_partial(*value))?.1;
        let axes = self.table.sharding(made).partial.clone();
        let splits = reduced.dims.iter().any(|dim| !all_line_up(&dim.axes, &axes));
        let reducer = self.table.sharding(made).reducer;
        if splits || !reduced.partial.is_empty() || reducer != Reducer::Sum {
            return None;
        }
        Some(self.table.intern(Sharding { partial: axes, ..Sharding::clone(&reduced) }))
    }

    /// Carry a sum with this sharding, from the loop's operand to its result; whether all additions can be done so.
    fn carry(&mut self, sum: &CarriedSum, partial: ShardingId) -> bool {
        let info = self.known.func.inst(sum.inst);
        let returned = self.known.func.block(sum.body).results[sum.index];
        self.draft.needs.set(info.operands[sum.index], Use::Operand(sum.inst, sum.index), partial);
        self.draft.needs.set(returned, Use::Result(sum.body, sum.index), partial);
        for value in sum.params.iter().copied().chain([info.results[sum.index]]) {
            self.draft.have[value] = Some(partial);
            self.agenda.disturb(value);
        }
        self.agenda.disturb(info.operands[sum.index]);
        sum.adds.iter().all(|(add, _)| self.add_partially(*add, partial))
    }

    /// Have an addition take and make values of this sharding.
    fn add_partially(&mut self, add: InstId, partial: ShardingId) -> bool {
        self.think(add);
        let fits = |strategy: &&Strategy| {
            strategy.operands.iter().chain(&strategy.results).all(|sharding| *sharding == partial)
        };
        let Some(strategy) = self.ideas_of(add).iter().find(fits).cloned() else { return false };
        self.adopt(add, strategy);
        true
    }
}
