//! Sums that are finished later than where they are made, because of what comes behind ops of one operand.
//!
//! ```text
//! %a = dot ..              partial over x            %a = dot ..              partial over x
//! %a1 = all-reduce %a                                %b = convert %a          partial over x
//! %b = convert %a1                             =>    %d = convert %c          partial over x
//! %c .. %d              likewise                     %e = add %b, %d          partial over x
//! %e = add %b, %d                                    %e1 = all-reduce %e
//! ```
//!
//! Sums of several values pass them on as well: what is whole counts on one device alone.
//!
//! The sweeps move a reduction past one op at a time, and only where that op alone gains by it. Here the ops between
//! the partial values and the op that joins them, or makes less of them, are decided with it, and all are kept only if
//! the price falls. The gradients of a weight that is used several times meet like that.

use super::strategy::Strategy;
use super::table::ShardingId;
use super::{Compared, Planner, Price};
use meshwright_base::arrange::Arrange;
use meshwright_ir::{InstId, ValueId};

/// Most ops that a sum passes on its way.
const LONGEST: usize = 64;

impl Planner<'_> {
    /// Try at every instruction that is linear in something.
    pub(super) fn postpone_sums(&mut self) {
        for inst in self.known.order.clone() {
            self.postpone_into(inst);
        }
        self.run(Compared::Early);
    }

    fn postpone_into(&mut self, inst: InstId) {
        let Some(kind) = self.known.kind[inst] else { return };
        let linear = &self.kinds.rule(kind).linear;
        let operands = &self.known.func.inst(inst).operands;
        let ways = linear
            .jointly
            .iter()
            .chain(&linear.singly)
            .filter_map(|at| self.way_from_partial(*operands.get(*at)?));
        let passed: Vec<InstId> = ways.flat_map(|(way, _)| way).collect();
        if passed.is_empty() {
            return;
        }
        let touched: Vec<InstId> = passed.iter().copied().chain([inst]).collect();
        let before = self.price_around(&touched);
        let old: Vec<(InstId, Option<Strategy>)> =
            touched.iter().map(|inst| (*inst, self.draft.chosen[*inst].clone())).collect();
        let passes = passed.iter().all(|op| self.pass_partial(*op));
        if passes {
            self.agenda.call(inst);
            self.choose(inst, Compared::Early);
        }
        if passes && self.price_around(&touched).beats(before, self.table.goal) {
            return;
        }
        for (inst, strategy) in old {
            if let Some(strategy) = strategy {
                self.adopt(inst, strategy);
            }
        }
    }

    /// The ops between a value that is made partial and this one, which they are linear in, in order; and the partial
    /// sharding. No ops, if the value itself is partial. They have one operand each, but for at most one sum of
    /// several.
    pub(super) fn way_from_partial(&self, value: ValueId) -> Option<(Vec<InstId>, ShardingId)> {
        let end = self.end_of_way(value, |_| ());
        let (through, made) = self.partial_of(end).map(|made| (None, made)).or_else(|| {
            let sum = self.known.func.def_inst(end)?;
            let linear = &self.kinds.rule(self.known.kind[sum]?).linear;
            let operands = &self.known.func.inst(sum).operands;
            let mut ways = linear.jointly.iter().filter(|_| operands.len() > 1).filter_map(|at| {
                let summand = *operands.get(*at)?;
                Some((Some((sum, summand)), self.partial_of(self.end_of_way(summand, |_| ()))?))
            });
            ways.next()
        })?;
        let mut way = Vec::new();
        self.end_of_way(value, |inst| way.push(inst));
        if let Some((sum, summand)) = through {
            way.push(sum);
            self.end_of_way(summand, |inst| way.push(inst));
        }
        way.reverse();
        Some((way, made))
    }

    /// The sharding a value is made with, if that is partial.
    fn partial_of(&self, value: ValueId) -> Option<ShardingId> {
        self.draft.have[value].filter(|have| !self.table.sharding(*have).partial.is_empty())
    }

    /// Note the ops of one operand above a value, last first, up to where it is partial or no such op makes it; what
    /// the first of them takes.
    fn end_of_way(&self, mut value: ValueId, mut note: impl FnMut(InstId)) -> ValueId {
        for _ in 0..=LONGEST {
            if self.partial_of(value).is_some() {
                break;
            }
            let Some(inst) = self.known.func.def_inst(value) else { break };
            let ([operand], Some(kind)) = (&self.known.func.inst(inst).operands[..], self.known.kind[inst])
            else {
                break;
            };
            let linear = &self.kinds.rule(kind).linear;
            if !linear.jointly.contains(&0) && !linear.singly.contains(&0) {
                break;
            }
            note(inst);
            value = *operand;
        }
        value
    }

    /// Have an op take what is partial as it is made and give it on as partial; whether it can.
    fn pass_partial(&mut self, inst: InstId) -> bool {
        let operands = self.known.func.inst(inst).operands.clone();
        let Some((at, made)) =
            (operands.iter().enumerate()).find_map(|(at, operand)| Some((at, self.partial_of(*operand)?)))
        else {
            return false;
        };
        self.think(inst);
        let partial = self.table.sharding(made).partial.clone();
        let gives = |strategy: &&Strategy| {
            strategy.operands[at] == made
                && strategy.results.iter().all(|result| self.table.sharding(*result).partial == partial)
        };
        let Some(strategy) = self.ideas_of(inst).iter().find(gives).cloned() else { return false };
        self.adopt(inst, strategy);
        true
    }

    /// The price of some instructions and of the reshards of their operands and results.
    fn price_around(&mut self, insts: &[InstId]) -> Price {
        let mut price = Price::default();
        let mut values: Vec<ValueId> = Vec::new();
        for inst in insts {
            price.add(self.known.times(*inst), self.own_price(*inst));
            let info = self.known.func.inst(*inst);
            values.extend(info.operands.iter().chain(&info.results));
        }
        values.arrange();
        values.dedup();
        for value in values {
            self.add_reshards(&mut price, value);
        }
        price
    }
}
