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

use super::choices::{Act, Trial};
use super::linear_way::{Barren, CarriedSums, LinearStep};
use super::strategy::StrategyId;
use super::{Compared, Planner, Price};
use meshwright_base::arrange::Arrange;
use meshwright_ir::{InstId, ValueId};

impl Planner<'_> {
    /// Try at every instruction that is linear in something.
    pub(super) fn postpone_sums(&mut self) {
        let (mut barren, no_loops) = (Barren::unknown(self.known.func), CarriedSums::default());
        for inst in self.known.order.clone() {
            self.postpone_into(inst, &no_loops, &mut barren);
        }
        self.run(Compared::Early);
    }

    fn postpone_into(&mut self, inst: InstId, no_loops: &CarriedSums, barren: &mut Barren) {
        let Some(kind) = self.known.kind[inst] else { return };
        let linear = &self.kinds.rule(kind).linear;
        let operands = &self.known.func.inst(inst).operands;
        let ways = linear
            .jointly
            .iter()
            .chain(&linear.singly)
            .filter_map(|at| self.way_from_partial(*operands.get(*at)?, no_loops, Some(barren)));
        let ops = ways.flat_map(|(way, _)| way).filter_map(|step| match step {
            LinearStep::Op(inst, at) => Some((inst, at)),
            LinearStep::Loop(_) => None,
        });
        let passed: Vec<(InstId, usize)> = ops.collect();
        if passed.is_empty() {
            return;
        }
        let touched: Vec<InstId> = passed.iter().map(|(op, _)| *op).chain([inst]).collect();
        match self.trial_before(&passed, &touched) {
            Some(trial) => self.repeat(&trial, &touched),
            None => {
                let around = self.last_surroundings();
                let trial = self.try_postponing(&passed, &touched);
                self.note_trial(around, trial);
            }
        }
    }

    /// Have all of these pass on what is partial; if the price falls, it stays so.
    fn try_postponing(&mut self, passed: &[(InstId, usize)], touched: &[InstId]) -> Trial {
        let before = self.price_around(touched);
        let old: Vec<Option<StrategyId>> = touched.iter().map(|inst| self.draft.chosen[*inst]).collect();
        let mut trial = Trial::new();
        let passes = passed.iter().enumerate().all(|(which, (op, at))| {
            let passes = self.pass_partial(*op, *at);
            trial.extend(self.ideas[*op].map(|thought| (which, Act::Think(thought))));
            trial.extend(self.draft.chosen[*op].filter(|_| passes).map(|id| (which, Act::Adopt(id))));
            passes
        });
        if let Some(inst) = touched.last().filter(|_| passes) {
            self.agenda.call(*inst);
            let changed = self.choose(*inst, Compared::Early);
            let chosen = self.draft.chosen[*inst].filter(|_| changed);
            trial.extend(self.ideas[*inst].map(|thought| (passed.len(), Act::Think(thought))));
            trial.push((passed.len(), chosen.map_or(Act::Stay, Act::Adopt)));
        }
        if !passes || !self.price_around(touched).beats(before, self.table.goal) {
            for (inst, strategy) in touched.iter().zip(old) {
                if let Some(strategy) = strategy {
                    self.adopt(*inst, strategy);
                }
            }
            trial.clear();
        }
        trial
    }

    /// Do what was kept of a trial like this.
    fn repeat(&mut self, trial: &[(usize, Act)], touched: &[InstId]) {
        for (which, act) in trial {
            let inst = touched[*which];
            match act {
                Act::Think(thought) => self.ideas[inst] = Some(*thought),
                Act::Adopt(strategy) => self.adopt(inst, *strategy),
                Act::Stay => self.agenda.mark_fresh(inst),
            }
        }
    }

    /// The price of some instructions and of the reshards of their operands and results.
    fn price_around(&mut self, insts: &[InstId]) -> Price {
        let mut price = Price::default();
        let mut values: Vec<ValueId> = Vec::with_capacity(4 * insts.len());
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
