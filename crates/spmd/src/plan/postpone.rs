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

use super::linear_way::{Barren, CarriedSums, LinearStep};
use super::strategy::Strategy;
use super::{Compared, Planner, Price};
use meshwright_base::arrange::Arrange;
use meshwright_ir::{InstId, ValueId};

impl Planner<'_> {
    /// Try at every instruction that is linear in something.
    pub(super) fn postpone_sums(&mut self) {
        let mut barren = Barren::unknown(self.known.func);
        for inst in self.known.order.clone() {
            self.postpone_into(inst, &mut barren);
        }
        self.run(Compared::Early);
    }

    fn postpone_into(&mut self, inst: InstId, barren: &mut Barren) {
        let Some(kind) = self.known.kind[inst] else { return };
        let linear = &self.kinds.rule(kind).linear;
        let no_loops = CarriedSums::default();
        let operands = &self.known.func.inst(inst).operands;
        let ways = linear
            .jointly
            .iter()
            .chain(&linear.singly)
            .filter_map(|at| self.way_from_partial(*operands.get(*at)?, &no_loops, Some(barren)));
        let ops = ways.flat_map(|(way, _)| way).filter_map(|step| match step {
            LinearStep::Op(inst, at) => Some((inst, at)),
            LinearStep::Loop(_) => None,
        });
        let passed: Vec<(InstId, usize)> = ops.collect();
        if passed.is_empty() {
            return;
        }
        let touched: Vec<InstId> = passed.iter().map(|(op, _)| *op).chain([inst]).collect();
        let before = self.price_around(&touched);
        let old: Vec<(InstId, Option<Strategy>)> =
            touched.iter().map(|inst| (*inst, self.draft.chosen[*inst].clone())).collect();
        let passes = passed.iter().all(|(op, at)| self.pass_partial(*op, *at));
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
